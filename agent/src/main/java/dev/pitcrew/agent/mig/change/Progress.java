package dev.pitcrew.agent.mig.change;

/// Whoever wants to know how far a change is.
@FunctionalInterface
public interface Progress {
  void tell(String step);
}
