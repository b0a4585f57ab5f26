package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.status.plan.MigFacts;
import java.util.Map;
import java.util.Optional;

/// The state of the MIG layout.
///
/// @param facts for the report; empty where it is not the agent's to do
/// @param withheld the GPUs that must not be allocated, by UUID, each with the reason
/// @param needsDriver whether no other part of the agent may have NVML open
public record MigReport(
    Optional<MigFacts> facts, Map<String, String> withheld, boolean needsDriver) {
  /// Before the first look, which changes nothing that was reported.
  public static final MigReport UNKNOWN =
      new MigReport(
          Optional.of(new MigFacts(MigFacts.Phase.UNKNOWN, "", "", "not looked at yet")),
          Map.of(),
          false);

  public MigReport {
    withheld = Map.copyOf(withheld);
  }
}
