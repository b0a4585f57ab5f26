package dev.pitcrew.agent.mig.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.RecordedBoards;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/// Every plan is carried out on a model that refuses what the hardware refuses.
class PlannerPropertiesTest {

  @Provide
  Arbitrary<MigGpu> boards() {
    return Arbitraries.of(RecordedBoards.all());
  }

  @Property(tries = 2000)
  void anyLayoutOfAnotherGpu_isPlannedAndReached(
      @ForAll("boards") MigGpu board, @ForAll long now, @ForAll long then) {
    MigGpu gpu = ModelGpu.divided(board, now);
    ProfileCounts demand = demand(ModelGpu.divided(board, then));

    MigGpu after = ModelGpu.after(Planner.plan(gpu, demand));

    assertThat(RecordedBoards.capable(after).counts()).isEqualTo(demand.byName());
    assertThat(demand.isMet(after.division())).isTrue();
    assertThat(((GpuPlan.Steps) Planner.plan(after, demand)).steps()).isEmpty();
  }

  @Property(tries = 500)
  void aGpuThatIsAsItIsWantedIsNotTouched(@ForAll("boards") MigGpu board, @ForAll long now) {
    MigGpu gpu = ModelGpu.divided(board, now);

    assertThat(((GpuPlan.Steps) Planner.plan(gpu, demand(gpu))).steps()).isEmpty();
  }

  @Property(tries = 500)
  void formerLayout_isRestoredAtItsPlacement(
      @ForAll("boards") MigGpu board, @ForAll long now, @ForAll long then) {
    MigGpu gpu = ModelGpu.divided(board, now);
    Target before = Target.of(RecordedBoards.capable(ModelGpu.divided(board, then)));

    MigGpu after = ModelGpu.after(Planner.plan(gpu, before));

    assertThat(Target.of(RecordedBoards.capable(after))).isEqualTo(before);
  }

  @Property(tries = 500)
  void theModeIsSwitchedOffAndOn(@ForAll("boards") MigGpu board, @ForAll long now) {
    MigGpu gpu = ModelGpu.divided(board, now);

    MigGpu off = ModelGpu.after(Planner.plan(gpu, new ProfileCounts(false, Map.of())));
    MigGpu again = ModelGpu.after(Planner.plan(off, demand(gpu)));

    assertThat(RecordedBoards.capable(off).isEnabled()).isFalse();
    assertThat(RecordedBoards.capable(again).counts())
        .isEqualTo(RecordedBoards.capable(gpu).counts());
  }

  /// Against every way in which whole instances could lie in the end.
  @Property(tries = 1000)
  void noPlanDestroysFewerInstances(
      @ForAll("boards") MigGpu board, @ForAll long now, @ForAll long then) {
    MigGpu gpu = ModelGpu.divided(board, now);
    ProfileCounts demand = demand(whole(ModelGpu.divided(board, then)));
    if (demand.isMet(gpu.division())) {
      return;
    }
    long destroyed =
        ((GpuPlan.Steps) Planner.plan(gpu, demand))
            .steps().stream().filter(step -> step instanceof Step.DestroyInstance).count();

    assertThat((int) destroyed)
        .isEqualTo(RecordedBoards.capable(gpu).instances().size() - mostKept(gpu, demand));
  }

  private static int mostKept(MigGpu gpu, ProfileCounts demand) {
    var wanted = new ArrayList<InstanceProfile>();
    demand
        .counts()
        .forEach((shape, count) -> {
          InstanceProfile profile =
              RecordedBoards.capable(gpu).profiles().stream()
                  .filter(one -> one.shape().equals(shape))
                  .findFirst()
                  .orElseThrow();
          for (int i = 0; i < count; i++) {
            wanted.add(profile);
          }
        });
    return mostKept(RecordedBoards.capable(gpu).instances(), wanted, 0, new HashMap<>())
        .orElseThrow();
  }

  private record State(int remaining, int taken) {}

  // Tries every place for the next one.
  private static OptionalInt mostKept(
      List<GpuInstance> actual,
      List<InstanceProfile> wanted,
      int taken,
      Map<State, OptionalInt> known) {
    if (wanted.isEmpty()) {
      return OptionalInt.of(0);
    }
    var state = new State(wanted.size(), taken);
    if (!known.containsKey(state)) {
      InstanceProfile first = wanted.getFirst();
      OptionalInt best = OptionalInt.empty();
      for (var place : first.placements()) {
        if ((taken & place.mask()) == 0) {
          boolean isThere =
              actual.stream()
                  .anyMatch(one ->
                      one.placement().equals(place)
                          && one.profile().constant() == first.constant());
          OptionalInt rest =
              mostKept(actual, wanted.subList(1, wanted.size()), taken | place.mask(), known);
          if (rest.isPresent()) {
            int kept = rest.getAsInt() + (isThere ? 1 : 0);
            best = OptionalInt.of(Math.max(kept, best.orElse(0)));
          }
        }
      }
      known.put(state, best);
    }
    return known.get(state);
  }

  private static MigGpu whole(MigGpu gpu) {
    var instances =
        RecordedBoards.capable(gpu).instances().stream()
            .map(one -> new GpuInstance(one.id(), one.profile(), one.placement(), List.of()))
            .map(one -> ModelGpu.withCompute(one, one.profile().slices()))
            .toList();
    return gpu.with(ModelGpu.of(RecordedBoards.capable(gpu), instances));
  }

  private static ProfileCounts demand(MigGpu gpu) {
    var counts = new HashMap<MigProfile, Integer>();
    for (GpuInstance instance : RecordedBoards.capable(gpu).instances()) {
      for (ComputeInstance compute : instance.computes()) {
        counts.merge(instance.profile().part(compute.slices()), 1, Integer::sum);
      }
    }
    return new ProfileCounts(true, counts);
  }
}
