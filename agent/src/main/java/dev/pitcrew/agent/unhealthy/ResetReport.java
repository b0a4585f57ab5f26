package dev.pitcrew.agent.unhealthy;

import java.util.Map;

/// The state of the resets of unhealthy GPUs.
///
/// @param words the state of each GPU that needs a reset, by UUID, as text for users
/// @param withheld the GPUs that must not be allocated meanwhile, by UUID, each with the reason
/// @param needsDriver whether no other part of the agent may have NVML open
public record ResetReport(
    Map<String, String> words, Map<String, String> withheld, boolean needsDriver) {
  public static final ResetReport NONE = new ResetReport(Map.of(), Map.of(), false);

  public ResetReport {
    words = Map.copyOf(words);
    withheld = Map.copyOf(withheld);
  }
}
