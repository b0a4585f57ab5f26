package dev.pitcrew.agent.process;

import dev.pitcrew.agent.status.MigFacts;
import java.util.Map;
import java.util.Optional;

/// How the division of the GPUs stands.
///
/// @param facts for the report; empty where it is not the agent's to do
/// @param withheld the GPUs that nobody is to be given, by UUID, each with why
/// @param needsDriver whether nobody else of the agent may have NVML open
record MigView(Optional<MigFacts> facts, Map<String, String> withheld, boolean needsDriver) {
  /// Before anybody looked, which takes back nothing that was said.
  static final MigView UNKNOWN =
      new MigView(
          Optional.of(new MigFacts(MigFacts.Phase.UNKNOWN, "", "", "not looked at yet")),
          Map.of(),
          false);

  MigView {
    withheld = Map.copyOf(withheld);
  }
}
