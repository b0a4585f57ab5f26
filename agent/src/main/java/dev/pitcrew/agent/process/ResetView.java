package dev.pitcrew.agent.process;

import java.util.Map;

/// How the resets of sick GPUs stand.
///
/// @param words what becomes of each that is to be reset, by UUID, for people
/// @param withheld the GPUs that nobody is to be given meanwhile, by UUID, each with why
/// @param needsDriver whether nobody else of the agent may have NVML open
record ResetView(Map<String, String> words, Map<String, String> withheld, boolean needsDriver) {
  static final ResetView NONE = new ResetView(Map.of(), Map.of(), false);

  ResetView {
    words = Map.copyOf(words);
    withheld = Map.copyOf(withheld);
  }
}
