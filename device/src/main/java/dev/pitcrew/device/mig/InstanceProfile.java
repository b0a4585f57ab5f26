package dev.pitcrew.device.mig;

import dev.pitcrew.device.inventory.MigProfile;
import java.util.List;

/// A sort of GPU instance that a GPU can have.
///
/// @param constant NVML's name for it, `NVML_GPU_INSTANCE_PROFILE_…`
/// @param id the driver's name for it on this GPU, which creating and listing take
/// @param shape of an instance with one compute instance that takes all of it
/// @param most how many of them the GPU can have at once
/// @param placements where one can lie
public record InstanceProfile(
    int constant, int id, MigProfile shape, int most, List<Placement> placements) {
  public InstanceProfile {
    placements = List.copyOf(placements);
  }

  public int slices() {
    return shape.gpuSlices();
  }

  /// The shape of a MIG device with so many compute slices in such an instance.
  public MigProfile part(int computeSlices) {
    return new MigProfile(
        computeSlices, shape.gpuSlices(), shape.memoryGigabytes(), shape.attribute());
  }
}
