package dev.pitcrew.device.inventory;

import java.util.List;

/// A sort of GPU instance that a GPU can be divided into (nvmlGpuInstanceProfileInfo_t).
///
/// @param id the driver's id of it on this GPU, such as 19 for `1g.5gb`
/// @param shape of an instance with one compute instance that takes all of it
/// @param amounts what such an instance has
/// @param placements where one can lie; none while the driver does not report it
public record PartitionProfile(
    int id, MigProfile shape, MigAttributes amounts, List<MigPlacement> placements) {
  public PartitionProfile {
    placements = List.copyOf(placements);
  }
}
