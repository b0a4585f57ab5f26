package dev.pitcrew.testbed.node;

import dev.pitcrew.testbed.gpu.DriverContainer;
import dev.pitcrew.testbed.gpu.SimulatedNode;

/// Puts simulated GPUs into the specification of a real node: the driver's root with its own
/// `/dev`, and under [#HOST_ROOT] what an agent takes for the machine's `/sys`, `/proc` and `/dev`,
/// which cannot be changed in a node's own.
///
/// What happens to the GPUs later, the node sees at once.
public final class GpuHardware {
  /// The host root of whatever looks for GPUs on the node.
  public static final String HOST_ROOT = "/gpu-host";

  private GpuHardware() {}

  public static NodeSpec in(NodeSpec spec, SimulatedNode gpus) {
    return withDriver(spec, gpus).withMount(gpus.hostRoot(), HOST_ROOT);
  }

  /// Its files, or where the container that brings them finds its folder and the machine.
  private static NodeSpec withDriver(NodeSpec spec, SimulatedNode gpus) {
    return gpus.hasDriverFiles()
        ? spec.withMount(gpus.driverRoot(), gpus.options().driverRoot())
        : spec.withMount(gpus.hostRoot().resolve("run/nvidia"), "/run/nvidia")
            .withMount(gpus.hostRoot(), DriverContainer.MACHINE);
  }
}
