package dev.pitcrew.device.mig;

import dev.pitcrew.device.inventory.ComputeCapability;

/// One GPU as the code that divides it sees it.
///
/// @param index its NVML index
/// @param uuid such as `GPU-12345678-1234-1234-1234-123456780000`
/// @param address its PCI address as the kernel writes it
public record MigGpu(
    int index,
    String uuid,
    String address,
    PciIds ids,
    ComputeCapability capability,
    MigPartitioning division) {
  private static final int HOPPER = 9;

  public MigGpu with(MigPartitioning other) {
    return new MigGpu(index, uuid, address, ids, capability, other);
  }

  /// Whether a change of the MIG mode waits for a reset of the GPU. Hopper and later boards change
  /// at once (NVIDIA's MIG user guide, "Enable MIG Mode").
  public boolean changesModeByReset() {
    return capability.major() < HOPPER;
  }
}
