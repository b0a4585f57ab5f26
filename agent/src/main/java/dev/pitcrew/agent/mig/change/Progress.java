package dev.pitcrew.agent.mig.change;

/// Receives the progress of a change.
@FunctionalInterface
public interface Progress {
  void report(String step);
}
