package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.inventory.MigPlacement;

/// A GPU instance that was made for a claim, or is about to be.
///
/// @param device its name in ResourceSlices
/// @param gpu the UUID of its GPU
/// @param index where NVML had the GPU when the instance was made
public record OwnPartition(String device, String gpu, int index, MigPlacement placement) {
  static OwnPartition of(Partition partition) {
    return new OwnPartition(
        partition.name(), partition.gpu().uuid(), partition.gpu().index(), partition.placement());
  }
}
