package dev.pitcrew.device.inventory;

/// A GPU that NVML counts but that cannot be read.
///
/// @param index its NVML index
/// @param reason the call and what it returned, such as `nvmlDeviceGetUUID: GPU is lost`
public record UnreadableGpu(int index, String reason) {}
