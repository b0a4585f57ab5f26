package dev.pitcrew.device.mig;

import java.util.List;

/// A compute instance, which makes a MIG device of a part of a GPU instance.
///
/// @param constant NVML's name for its profile, `NVML_COMPUTE_INSTANCE_PROFILE_…`
/// @param processes who computes there, by process id
public record ComputeInstance(int id, int constant, int slices, List<Integer> processes) {
  public ComputeInstance {
    processes = List.copyOf(processes);
  }
}
