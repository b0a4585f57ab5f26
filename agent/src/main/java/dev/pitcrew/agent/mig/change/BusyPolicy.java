package dev.pitcrew.agent.mig.change;

/// What is done where processes compute on what has to go.
public enum BusyPolicy {
  /// It is waited for them to end.
  WAIT,
  /// Nothing is changed.
  REFUSE
}
