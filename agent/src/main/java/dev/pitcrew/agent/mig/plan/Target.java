package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// The GPU instances that a GPU is to have.
public record Target(boolean isEnabled, List<Wanted> instances) {
  public Target {
    instances = List.copyOf(instances);
  }

  /// One of them.
  ///
  /// @param place empty where any will do
  /// @param computeSlices of its compute instances, the largest first
  public record Wanted(
      InstanceProfile profile, Optional<Placement> place, List<Integer> computeSlices) {
    public Wanted {
      computeSlices = computeSlices.stream().sorted(Comparator.reverseOrder()).toList();
    }
  }

  /// What is there, at the places where it is.
  public static Target of(MigPartitioning.Capable division) {
    return new Target(division.isEnabled(), division.instances().stream().map(Target::of).toList());
  }

  private static Wanted of(GpuInstance instance) {
    return new Wanted(
        instance.profile(),
        Optional.of(instance.placement()),
        instance.computes().stream().map(ComputeInstance::slices).toList());
  }

  /// As [#of], without what takes its place and is no MIG device.
  static Target usedOf(MigPartitioning.Capable division) {
    return new Target(
        division.isEnabled(),
        division.instances().stream()
            .filter(instance -> !instance.computes().isEmpty())
            .map(Target::of)
            .toList());
  }
}
