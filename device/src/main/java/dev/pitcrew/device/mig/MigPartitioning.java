package dev.pitcrew.device.mig;

import dev.pitcrew.device.inventory.MigProfile;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Whether a GPU can be divided, and how it is.
public sealed interface MigPartitioning {

  /// The GPU or its driver knows no MIG.
  record NotCapable() implements MigPartitioning {}

  /// @param isEnabled whether the GPU is in MIG mode
  /// @param isPending whether it will be after its next reset
  /// @param profiles what it can be divided into, in the order of NVML's constants; none where the
  ///   driver hides them ([#hidesProfiles])
  /// @param instances what it is divided into, in the order of their place
  /// @param processes who uses the GPU and none of its instances, by process id
  record Capable(
      boolean isEnabled,
      boolean isPending,
      List<InstanceProfile> profiles,
      List<GpuInstance> instances,
      List<Integer> processes)
      implements MigPartitioning {
    public Capable {
      profiles = List.copyOf(profiles);
      instances = List.copyOf(instances);
      processes = List.copyOf(processes);
    }

    /// Whether the driver lists profiles only in MIG mode, as R535 and older do.
    public boolean hidesProfiles() {
      return !isEnabled && profiles.isEmpty();
    }

    public boolean awaitsReset() {
      return isEnabled != isPending;
    }

    /// How many MIG devices of each shape there are, by name.
    public Map<String, Integer> counts() {
      var counts = new TreeMap<String, Integer>();
      for (GpuInstance instance : instances) {
        for (ComputeInstance compute : instance.computes()) {
          MigProfile shape = instance.profile().part(compute.slices());
          counts.merge(shape.name(), 1, Integer::sum);
        }
      }
      return counts;
    }
  }
}
