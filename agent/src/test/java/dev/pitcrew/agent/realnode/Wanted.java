package dev.pitcrew.agent.realnode;

import java.util.HashMap;
import java.util.Map;

/// How GPUs are to be offered, in the reference's words.
///
/// @param environment by the reference's names, such as `MIG_STRATEGY`
/// @param configFile the text of the configuration file
record Wanted(Map<String, String> environment, String configFile) {
  /// As the chart has it: devices by their CDI names.
  static final Wanted DEFAULT =
      new Wanted(Map.of("DEVICE_LIST_STRATEGY", "cdi-cri"), "version: v1\n");

  Wanted {
    environment = Map.copyOf(environment);
  }

  Wanted with(String name, String value) {
    var more = new HashMap<>(environment);
    more.put(name, value);
    return new Wanted(more, configFile);
  }

  /// @param timeSlicing the keys below `sharing.timeSlicing`, as one YAML mapping
  Wanted sharedBy(String timeSlicing) {
    return new Wanted(environment, "version: v1\nsharing:\n  timeSlicing: " + timeSlicing + "\n");
  }
}
