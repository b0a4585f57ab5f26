package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.hardware.pci.VirtualGpu;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Whether the node is a virtual machine with virtual GPUs, and of which host driver; where several
/// report one, the last one counts. Without privileges none can be read, and none is reported.
final class VgpuLabels {
  private static final String VGPU = GpuLabels.PREFIX + "vgpu.";

  private VgpuLabels() {}

  static Map<String, String> of(List<VirtualGpu> functions) {
    var labels = new TreeMap<String, String>();
    if (functions.stream().noneMatch(VirtualGpu.Unknown.class::isInstance)) {
      labels.put(VGPU + "present", "false");
    }
    functions.forEach(function -> put(labels, function));
    return labels;
  }

  private static void put(Map<String, String> labels, VirtualGpu function) {
    switch (function) {
      case VirtualGpu.Present(var version, var branch) -> {
        labels.put(VGPU + "present", "true");
        labels.put(VGPU + "host-driver-version", version);
        labels.put(VGPU + "host-driver-branch", branch);
      }
      case VirtualGpu.Absent() -> {}
      case VirtualGpu.Unknown(_) -> {}
    }
  }
}
