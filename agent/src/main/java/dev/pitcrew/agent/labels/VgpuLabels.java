package dev.pitcrew.agent.labels;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Whether the node is a virtual machine with virtual GPUs, and of which host driver; where several
/// tell, the last one counts.
final class VgpuLabels {
  private static final String VGPU = GpuLabels.PREFIX + "vgpu.";

  private VgpuLabels() {}

  static Map<String, String> of(List<PciConfigSpace> spaces) {
    List<HostDriver> drivers =
        spaces.stream().map(HostDriver::of).flatMap(Optional::stream).toList();
    var labels = new TreeMap<String, String>();
    labels.put(VGPU + "present", String.valueOf(!drivers.isEmpty()));
    drivers.stream()
        .map(HostDriver::version)
        .flatMap(Optional::stream)
        .forEach(
            release -> {
              labels.put(VGPU + "host-driver-version", release.version());
              labels.put(VGPU + "host-driver-branch", release.branch());
            });
    return labels;
  }
}
