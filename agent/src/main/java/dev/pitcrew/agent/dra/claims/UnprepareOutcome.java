package dev.pitcrew.agent.dra.claims;

/// What became of a claim that kubelet asked to unprepare.
public sealed interface UnprepareOutcome {
  /// Nothing of the claim is left, or there never was anything.
  record Unprepared() implements UnprepareOutcome {}

  /// @param reason names what is left and what to do; kubelet tries again
  record Failed(String reason) implements UnprepareOutcome {}
}
