package dev.pitcrew.agent.labels.plan;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What loaded kernel modules make possible beside the GPUs, from `/proc/modules`; in the NVIDIA
/// GPU Operator a rule for NFD.
final class ModuleLabels {
  private static final Map<String, String> CAPABILITIES =
      Map.of(
          "gdrdrv", "nvidia.com/gdrcopy.capable",
          "nvidia_fs", "nvidia.com/gds.capable",
          "nvidia_peermem", "nvidia.com/peermem.capable");

  private ModuleLabels() {}

  static Map<String, String> of(String modules) {
    Set<String> loaded =
        modules.lines().map(line -> line.split(" ", 2)[0]).collect(Collectors.toSet());
    var labels = new TreeMap<String, String>();
    CAPABILITIES.forEach((module, label) -> {
      if (loaded.contains(module)) {
        labels.put(label, "true");
      }
    });
    return labels;
  }
}
