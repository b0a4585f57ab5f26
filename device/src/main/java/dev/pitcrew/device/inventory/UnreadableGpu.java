package dev.pitcrew.device.inventory;

/// A GPU that NVML counts but that cannot be read.
///
/// @param index its NVML index
/// @param reason the call and what it returned, such as `nvmlDeviceGetUUID: GPU is lost`
/// @param needsReset whether only a reset brings it back: if it answers again, it was reset
/// @param isPending whether it may only be slow: an answer may still come in time
public record UnreadableGpu(int index, String reason, boolean needsReset, boolean isPending) {

  public UnreadableGpu(int index, String reason) {
    this(index, reason, false);
  }

  public UnreadableGpu(int index, String reason, boolean needsReset) {
    this(index, reason, needsReset, false);
  }
}
