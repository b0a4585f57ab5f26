package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.agent.mig.plan.Target.Wanted;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.Placement;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Where everything lies in the end.
///
/// @param kept instances that stay, each with what is wanted of it
/// @param destroyed instances that go
/// @param created new instances by their place
record InstancePlacements(
    Map<GpuInstance, Wanted> kept, List<GpuInstance> destroyed, Map<Placement, Wanted> created) {
  /// The better first: the fewest processes lost, then the fewest GPU instances destroyed, then the
  /// fewest compute instances.
  static final Comparator<InstancePlacements> BY_DAMAGE =
      Comparator.comparingLong(InstancePlacements::processesLost)
          .thenComparingInt(one -> one.destroyed().size())
          .thenComparingInt(InstancePlacements::computesLost);

  InstancePlacements {
    kept = new LinkedHashMap<>(kept);
    destroyed = List.copyOf(destroyed);
    created = new LinkedHashMap<>(created);
  }

  ComputeChange change(GpuInstance instance, Wanted wanted) {
    return ComputeChange.of(instance, wanted.computeSlices());
  }

  private long processesLost() {
    return destroyed.stream().mapToLong(instance -> instance.processes().size()).sum()
        + kept.entrySet().stream()
            .mapToLong(one -> change(one.getKey(), one.getValue()).processes())
            .sum();
  }

  private int computesLost() {
    return kept.entrySet().stream()
        .mapToInt(one -> change(one.getKey(), one.getValue()).destroyed().size())
        .sum();
  }
}
