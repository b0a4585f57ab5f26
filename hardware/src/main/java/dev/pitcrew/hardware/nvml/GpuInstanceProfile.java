package dev.pitcrew.hardware.nvml;

/// A profile of GPU instances that a GPU supports (nvmlGpuInstanceProfileInfo_t).
///
/// @param constant NVML's name for it, `NVML_GPU_INSTANCE_PROFILE_…`
/// @param id the driver's name for it on this GPU
public record GpuInstanceProfile(int constant, int id, long memoryMiB) {
  /// How many constants there are; the first is 0.
  public static final int CONSTANTS = 18;
}
