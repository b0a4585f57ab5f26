package dev.pitcrew.device.dra;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.List;
import java.util.stream.Stream;

/// A device that a ResourceClaim can be allocated. The names are those of NVIDIA's DRA driver, so
/// that claims allocated under it stay valid.
public sealed interface ClaimDevice {
  /// The driver in ResourceSlices and claims.
  String DRIVER = "gpu.nvidia.com";

  /// Unique in the pool of the node; a DNS label.
  String name();

  String uuid();

  /// The GPU that it is, or is a part of.
  Gpu gpu();

  /// A GPU without MIG.
  record WholeGpu(Gpu gpu) implements ClaimDevice {
    @Override
    public String name() {
      return "gpu-" + gpu.minor();
    }

    @Override
    public String uuid() {
      return gpu.uuid();
    }
  }

  /// A MIG device that was there before the claim.
  record MigPart(Gpu gpu, MigDevice device) implements ClaimDevice {
    @Override
    public String name() {
      throw new UnsupportedOperationException("the placement of a MIG device is not read yet");
    }

    @Override
    public String uuid() {
      return device.uuid();
    }
  }

  /// Those of a node, in the order of their GPUs and MIG indices. A GPU in MIG mode is none itself.
  static List<ClaimDevice> of(Inventory inventory) {
    return inventory.gpus().stream().flatMap(ClaimDevice::of).toList();
  }

  private static Stream<ClaimDevice> of(Gpu gpu) {
    return gpu.mig().isEnabled()
        ? gpu.mig().migDevices().stream().map(device -> new MigPart(gpu, device))
        : Stream.of(new WholeGpu(gpu));
  }
}
