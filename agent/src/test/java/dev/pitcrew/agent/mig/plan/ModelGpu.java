package dev.pitcrew.agent.mig.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.RecordedBoards;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/// What a GPU is after a step, with the refusals of the hardware.
final class ModelGpu {
  private ModelGpu() {}

  static MigGpu after(GpuPlan plan) {
    assertThat(plan).isInstanceOf(GpuPlan.Steps.class);
    var steps = (GpuPlan.Steps) plan;
    MigGpu gpu = steps.gpu();
    for (Step step : steps.steps()) {
      gpu = after(gpu, step);
    }
    return gpu;
  }

  private static MigGpu after(MigGpu gpu, Step step) {
    MigPartitioning.Capable now = RecordedBoards.capable(gpu);
    return switch (step) {
      case Step.DestroyCompute(var instance, var compute) -> {
        GpuInstance owner = at(now, instance.placement()).orElseThrow();
        var left = new ArrayList<>(owner.computes());
        assertThat(left.removeIf(one -> one.id() == compute.id())).isTrue();
        yield gpu.with(replace(now, owner, Optional.of(with(owner, left))));
      }
      case Step.DestroyInstance(var instance) -> {
        GpuInstance owner = at(now, instance.placement()).orElseThrow();
        assertThat(owner.computes()).isEmpty();
        yield gpu.with(replace(now, owner, Optional.empty()));
      }
      case Step.SetMode(var isEnabled) -> {
        assertThat(isEnabled || now.instances().isEmpty()).isTrue();
        boolean current = gpu.changesModeByReset() ? now.isEnabled() : isEnabled;
        yield gpu.with(mode(now, current, isEnabled));
      }
      case Step.Reset() -> gpu.with(mode(now, now.isPending(), now.isPending()));
      case Step.PlanInstances() -> gpu;
      case Step.CreateInstance(var profile, var place) -> {
        assertThat(now.isEnabled()).isTrue();
        assertThat(profile.placements()).contains(place);
        assertThat(now.instances()).noneMatch(one -> one.placement().overlaps(place));
        assertThat(now.instances().stream().filter(one -> one.profile().equals(profile)).count())
            .isLessThan(profile.most());
        yield gpu.with(added(now, new GpuInstance(place.start() + 1, profile, place, List.of())));
      }
      case Step.CreateCompute(var place, var slices) -> {
        GpuInstance owner = at(now, place).orElseThrow();
        int used = owner.computeSlices().stream().mapToInt(Integer::intValue).sum();
        assertThat(used + slices).isLessThanOrEqualTo(owner.profile().slices());
        yield gpu.with(replace(now, owner, Optional.of(withCompute(owner, slices))));
      }
    };
  }

  static GpuInstance withCompute(GpuInstance owner, int slices) {
    var computes = new ArrayList<>(owner.computes());
    int id = computes.stream().mapToInt(ComputeInstance::id).max().orElse(-1) + 1;
    computes.add(new ComputeInstance(id, 0, slices, List.of()));
    return with(owner, computes);
  }

  private static GpuInstance with(GpuInstance owner, List<ComputeInstance> computes) {
    return new GpuInstance(owner.id(), owner.profile(), owner.placement(), computes);
  }

  private static Optional<GpuInstance> at(MigPartitioning.Capable gpu, Placement place) {
    return gpu.instances().stream().filter(one -> one.placement().equals(place)).findFirst();
  }

  private static MigPartitioning mode(
      MigPartitioning.Capable gpu, boolean current, boolean pending) {
    return new MigPartitioning.Capable(
        current, pending, gpu.profiles(), gpu.instances(), gpu.processes());
  }

  private static MigPartitioning replace(
      MigPartitioning.Capable gpu, GpuInstance one, Optional<GpuInstance> other) {
    var instances = new ArrayList<>(gpu.instances());
    instances.remove(one);
    other.ifPresent(instances::add);
    return of(gpu, instances);
  }

  private static MigPartitioning added(MigPartitioning.Capable gpu, GpuInstance one) {
    var instances = new ArrayList<>(gpu.instances());
    instances.add(one);
    return of(gpu, instances);
  }

  static MigPartitioning of(MigPartitioning.Capable gpu, List<GpuInstance> instances) {
    return new MigPartitioning.Capable(
        gpu.isEnabled(),
        gpu.isPending(),
        gpu.profiles(),
        instances.stream().sorted(Comparator.comparingInt(one -> one.placement().start())).toList(),
        gpu.processes());
  }

  /// Divided by chance, with a compute instance in each instance, some in two.
  static MigGpu divided(MigGpu gpu, long seed) {
    var random = new Random(seed);
    MigGpu made = gpu;
    int wishes = random.nextInt(8);
    for (int i = 0; i < wishes; i++) {
      MigPartitioning.Capable now = RecordedBoards.capable(made);
      var profile = now.profiles().get(random.nextInt(now.profiles().size()));
      var free =
          profile.placements().stream()
              .filter(place ->
                  now.instances().stream().noneMatch(one -> one.placement().overlaps(place)))
              .toList();
      long there = now.instances().stream().filter(one -> one.profile().equals(profile)).count();
      if (!free.isEmpty() && there < profile.most()) {
        Placement place = free.get(random.nextInt(free.size()));
        var instance = new GpuInstance(place.start() + 1, profile, place, List.of());
        boolean isSplit = profile.slices() > 1 && random.nextInt(4) == 0;
        made = made.with(added(now, isSplit ? split(instance) : whole(instance)));
      }
    }
    return made;
  }

  private static GpuInstance whole(GpuInstance instance) {
    return withCompute(instance, instance.profile().slices());
  }

  private static GpuInstance split(GpuInstance instance) {
    return withCompute(withCompute(instance, 1), 1);
  }
}
