package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.agent.mig.plan.Target.Wanted;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/// Finds the arrangement that destroys least. A GPU has eight places at most, so that every set of
/// instances that could stay is looked at.
final class PlacementSolver {
  private final List<GpuInstance> actual;
  private final List<Wanted> wanted;

  PlacementSolver(List<GpuInstance> actual, List<Wanted> wanted) {
    this.actual = actual;
    // What fits at few places comes first.
    this.wanted =
        wanted.stream()
            .sorted(
                Comparator.<Wanted>comparingInt(one -> one.place().isPresent() ? 0 : 1)
                    .thenComparingInt(one -> -size(one))
                    .thenComparingInt(one -> one.profile().placements().size())
                    .thenComparingInt(one -> -one.profile().constant()))
            .toList();
  }

  private static int size(Wanted one) {
    return one.profile().placements().stream().mapToInt(Placement::size).max().orElse(0);
  }

  /// Empty where what is wanted does not fit on the GPU.
  Optional<InstancePlacements> best() {
    if (!isWithinCounts()) {
      return Optional.empty();
    }
    return IntStream.range(0, 1 << actual.size())
        .boxed()
        .sorted(Comparator.comparingInt(kept -> -Integer.bitCount(kept)))
        .flatMap(kept -> keeping(kept).stream())
        .min(InstancePlacements.BY_DAMAGE);
  }

  private boolean isWithinCounts() {
    return wanted.stream()
        .allMatch(one ->
            wanted.stream().filter(other -> other.profile().equals(one.profile())).count()
                <= one.profile().most());
  }

  /// @param bits which of the instances stay
  private Optional<InstancePlacements> keeping(int bits) {
    var staying = new ArrayList<GpuInstance>();
    var going = new ArrayList<GpuInstance>();
    for (int i = 0; i < actual.size(); i++) {
      ((bits & 1 << i) != 0 ? staying : going).add(actual.get(i));
    }
    var open = new ArrayList<>(wanted);
    var kept = new LinkedHashMap<GpuInstance, Wanted>();
    for (GpuInstance instance : staying) {
      OptionalInt match = bestMatch(instance, open);
      if (match.isEmpty()) {
        return Optional.empty();
      }
      kept.put(instance, open.remove(match.getAsInt()));
    }
    var created = new LinkedHashMap<Placement, Wanted>();
    int taken = staying.stream().mapToInt(instance -> instance.placement().mask()).sum();
    return place(open, taken, created)
        ? Optional.of(new InstancePlacements(kept, going, created))
        : Optional.empty();
  }

  // Which of the wanted ones costs least if it is this one.
  private static OptionalInt bestMatch(GpuInstance instance, List<Wanted> open) {
    return IntStream.range(0, open.size())
        .filter(index -> canBe(instance, open.get(index)))
        .boxed()
        .min(
            Comparator.<Integer>comparingLong(index -> cost(instance, open.get(index)).processes())
                .thenComparingInt(index -> cost(instance, open.get(index)).destroyed().size())
                .thenComparingInt(index -> cost(instance, open.get(index)).created().size())
                .thenComparingInt(index -> open.get(index).place().isPresent() ? 0 : 1))
        .map(OptionalInt::of)
        .orElseGet(OptionalInt::empty);
  }

  private static ComputeChange cost(GpuInstance instance, Wanted one) {
    return ComputeChange.of(instance, one.computeSlices());
  }

  private static boolean canBe(GpuInstance instance, Wanted one) {
    boolean isThere = one.place().map(instance.placement()::equals).orElse(true);
    return isThere && one.profile().constant() == instance.profile().constant();
  }

  private static boolean place(List<Wanted> open, int taken, Map<Placement, Wanted> created) {
    if (open.isEmpty()) {
      return true;
    }
    Wanted first = open.getFirst();
    List<Wanted> rest = open.subList(1, open.size());
    for (Placement place : first.place().map(List::of).orElse(first.profile().placements())) {
      if ((taken & place.mask()) == 0) {
        created.put(place, first);
        if (place(rest, taken | place.mask(), created)) {
          return true;
        }
        created.remove(place);
      }
    }
    return false;
  }
}
