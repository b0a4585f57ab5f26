package dev.pitcrew.device.mig;

import java.util.List;

/// A GPU instance that is there.
///
/// @param computes its compute instances; without one it takes its place and is unusable
public record GpuInstance(
    int id, InstanceProfile profile, Placement placement, List<ComputeInstance> computes) {
  public GpuInstance {
    computes = List.copyOf(computes);
  }

  /// Who computes there, by process id.
  public List<Integer> processes() {
    return computes.stream().flatMap(compute -> compute.processes().stream()).toList();
  }

  /// The slices of its compute instances, the largest first.
  public List<Integer> computeSlices() {
    return computes.stream()
        .map(ComputeInstance::slices)
        .sorted((one, other) -> Integer.compare(other, one))
        .toList();
  }
}
