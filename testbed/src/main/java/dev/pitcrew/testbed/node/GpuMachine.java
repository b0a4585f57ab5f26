package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// As [GpuHardware], and also for a program that takes the node's own root for the host's, as an
/// agent in a pod does: PCI functions, the distribution, and what the kernel says of the driver,
/// under their usual paths. The node sees at once what happens to the driver later; another PCI
/// function it does not.
public final class GpuMachine {
  /// The distribution counts too: drivers are of one, and a cluster of two has two driver operands.
  private static final List<String> FILES =
      List.of("/proc/modules", "/proc/devices", "/proc/driver", "/usr/lib/os-release");

  private GpuMachine() {}

  public static NodeSpec in(NodeSpec spec, SimulatedNode gpus) {
    var more = GpuHardware.in(spec, gpus).withMount(gpus.pciFunctions(), "/sys/bus/pci/devices");
    if (!gpus.hasDriverFiles()) {
      // Who unloads a driver looks for its modules there.
      more = withFile(more, gpus, "/sys/module");
    }
    for (var path : FILES) {
      more = withFile(more, gpus, path);
    }
    return more;
  }

  /// No file can be added below `/proc`, only laid over one that is there.
  private static NodeSpec withFile(NodeSpec spec, SimulatedNode gpus, String path) {
    return Files.exists(Path.of(path))
        ? spec.withMount(gpus.hostRoot().resolve("." + path).normalize(), path)
        : spec;
  }
}
