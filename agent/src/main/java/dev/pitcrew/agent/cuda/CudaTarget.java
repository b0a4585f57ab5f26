package dev.pitcrew.agent.cuda;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import java.util.List;
import java.util.Optional;

/// Where a sum is to be computed.
///
/// @param index as NVML counts, such as `3`, or `3:0` for a MIG device
/// @param uuid of the GPU; where that is divided, of its first MIG device
public record CudaTarget(String index, String uuid) {

  /// All GPUs on which something can be computed: one that is to be divided and is not yet has no
  /// device for that.
  public static List<CudaTarget> of(Inventory inventory) {
    return inventory.gpus().stream().flatMap(gpu -> of(gpu).stream()).toList();
  }

  /// As people know it, such as `GPU 3` or `GPU 3 MIG 0`.
  public String name() {
    return "GPU " + index.replace(":", " MIG ");
  }

  static Optional<CudaTarget> of(Gpu gpu) {
    String index = String.valueOf(gpu.index());
    return switch (gpu.mig()) {
      case Mig.Enabled enabled ->
          enabled.migDevices().stream()
              .findFirst()
              .map(device -> new CudaTarget(index + ":" + device.index(), device.uuid()));
      case Mig.Disabled _, Mig.NotCapable _ -> Optional.of(new CudaTarget(index, gpu.uuid()));
    };
  }
}
