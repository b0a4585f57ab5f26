package dev.pitcrew.hardware.nvml;

import dev.pitcrew.device.inventory.MigAttributes;

/// A profile of GPU instances that a GPU supports (nvmlGpuInstanceProfileInfo_t).
///
/// @param constant NVML's name for it, `NVML_GPU_INSTANCE_PROFILE_…`
/// @param id the driver's name for it on this GPU
/// @param amounts what an instance has whose compute instance takes all of it
public record GpuInstanceProfile(int constant, int id, MigAttributes amounts) {
  /// How many constants there are; the first is 0.
  public static final int CONSTANTS = 18;

  public long memoryMiB() {
    return amounts.memoryMiB();
  }
}
