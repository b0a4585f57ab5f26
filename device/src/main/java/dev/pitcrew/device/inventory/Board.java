package dev.pitcrew.device.inventory;

/// What sort of GPU it is.
///
/// @param name the product name, such as `NVIDIA A100-SXM4-40GB`, as NVML writes it
/// @param memoryBytes the whole memory; 0 where NVML does not report it
public record Board(String name, long memoryBytes, ComputeCapability computeCapability) {}
