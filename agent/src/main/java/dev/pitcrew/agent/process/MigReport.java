package dev.pitcrew.agent.process;

import dev.pitcrew.agent.status.MigFacts;
import java.util.Map;
import java.util.Optional;

/// The state of the MIG layout.
///
/// @param facts for the report; empty where it is not the agent's to do
/// @param withheld the GPUs that must not be allocated, by UUID, each with the reason
/// @param needsDriver whether no other part of the agent may have NVML open
record MigReport(Optional<MigFacts> facts, Map<String, String> withheld, boolean needsDriver) {
  /// Before the first look, which changes nothing that was reported.
  static final MigReport UNKNOWN =
      new MigReport(
          Optional.of(new MigFacts(MigFacts.Phase.UNKNOWN, "", "", "not looked at yet")),
          Map.of(),
          false);

  MigReport {
    withheld = Map.copyOf(withheld);
  }
}
