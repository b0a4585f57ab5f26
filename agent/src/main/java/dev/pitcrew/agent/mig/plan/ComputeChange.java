package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// What has to be done inside a GPU instance that stays.
///
/// @param destroyed compute instances that go
/// @param created the slices of those that come, in an order in which they find room
record ComputeChange(List<ComputeInstance> destroyed, List<Integer> created) {
  /// The driver puts a compute instance at the lowest place that is free. In this order the ones
  /// that fit at few places come first.
  private static final List<Integer> ORDER = List.of(8, 7, 6, 4, 2, 3, 1);

  ComputeChange {
    destroyed = List.copyOf(destroyed);
    created = inOrder(created);
  }

  static List<Integer> inOrder(List<Integer> slices) {
    return slices.stream().sorted(Comparator.comparingInt(ORDER::indexOf)).toList();
  }

  /// The slices of an instance lose their order when others go between them: apart from single
  /// slices, which fit anywhere, nothing is added to what stays.
  static ComputeChange of(GpuInstance instance, List<Integer> wanted) {
    var surplus = new ArrayList<ComputeInstance>();
    var missing = new ArrayDeque<>(wanted);
    instance.computes().stream()
        .sorted(Comparator.comparingInt(compute -> compute.processes().isEmpty() ? 1 : 0))
        .filter(compute -> !missing.remove(compute.slices()))
        .forEach(surplus::add);
    boolean fits =
        missing.isEmpty() || (surplus.isEmpty() && missing.stream().allMatch(one -> one == 1));
    return fits
        ? new ComputeChange(surplus, List.copyOf(missing))
        : new ComputeChange(instance.computes(), wanted);
  }

  long processes() {
    return destroyed.stream().mapToLong(compute -> compute.processes().size()).sum();
  }
}
