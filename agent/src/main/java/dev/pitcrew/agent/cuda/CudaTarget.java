package dev.pitcrew.agent.cuda;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Where a sum is to be computed.
///
/// @param index as NVML counts, such as `3`, or `3:0` for a MIG device
/// @param uuid of the GPU; where that is divided, of its first MIG device
/// @param gpu what the device is on
public record CudaTarget(String index, String uuid, On gpu) {

  /// A GPU with all that pods may hold of it.
  ///
  /// @param index as NVML counts
  /// @param devices the UUIDs of its MIG devices
  public record On(int index, String uuid, List<String> devices) {
    public On {
      devices = List.copyOf(devices);
    }

    static On of(Gpu gpu) {
      return new On(
          gpu.index(), gpu.uuid(), gpu.mig().migDevices().stream().map(MigDevice::uuid).toList());
    }

    /// What a pod has to hold to be disturbed.
    public List<String> all() {
      return Stream.concat(Stream.of(uuid), devices.stream()).toList();
    }
  }

  /// All GPUs on which something can be computed: one that is to be divided and is not yet has no
  /// device for that.
  public static List<CudaTarget> of(Inventory inventory) {
    return inventory.gpus().stream().flatMap(gpu -> of(gpu).stream()).toList();
  }

  /// The GPUs that are to be divided and are not: pods get nothing of them either.
  public static List<CheckedGpu> idle(Inventory inventory) {
    return inventory.gpus().stream()
        .filter(gpu -> of(gpu).isEmpty())
        .map(gpu ->
            new CheckedGpu(
                "GPU " + gpu.index(),
                gpu.uuid(),
                new CudaOutcome.NotChecked("in MIG mode, and without a MIG device")))
        .toList();
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
              .map(device ->
                  new CudaTarget(index + ":" + device.index(), device.uuid(), On.of(gpu)));
      case Mig.Disabled _, Mig.NotCapable _ ->
          Optional.of(new CudaTarget(index, gpu.uuid(), On.of(gpu)));
    };
  }
}
