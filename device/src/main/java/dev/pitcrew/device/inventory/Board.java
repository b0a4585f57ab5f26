package dev.pitcrew.device.inventory;

import java.util.Optional;

/// What sort of GPU it is.
///
/// @param name the product name, such as `NVIDIA A100-SXM4-40GB`, as NVML writes it
/// @param memoryBytes the whole memory; 0 where NVML does not report it
/// @param brand empty where NVML does not report it
/// @param addressingMode empty where the driver does not report it: drivers before R580 have no
///   nvmlDeviceGetAddressingMode
public record Board(
    String name,
    long memoryBytes,
    ComputeCapability computeCapability,
    Optional<Brand> brand,
    Optional<AddressingMode> addressingMode) {

  /// Without the values that only ResourceSlices have.
  public Board(String name, long memoryBytes, ComputeCapability computeCapability) {
    this(name, memoryBytes, computeCapability, Optional.empty(), Optional.empty());
  }
}
