package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Planner;
import dev.pitcrew.agent.mig.plan.Target;
import dev.pitcrew.agent.mig.plan.Target.Wanted;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a claim wants of one GPU. All other instances of the GPU stay as they are.
sealed interface ClaimLayout extends DesiredLayout {
  /// The UUID of the GPU.
  String gpu();

  GpuPlan plan(MigGpu gpu, MigPartitioning.Capable division);

  /// A GPU instance more, with one compute instance that takes all of it.
  record With(String gpu, MigPlacement place) implements ClaimLayout {
    @Override
    public GpuPlan plan(MigGpu gpu, MigPartitioning.Capable division) {
      Optional<InstanceProfile> profile =
          division.profiles().stream().filter(it -> it.id() == place.profileId()).findFirst();
      if (profile.isEmpty()) {
        return new GpuPlan.Refused(
            gpu, "GPU %d has no MIG profile %d".formatted(gpu.index(), place.profileId()));
      }
      if (!division.isEnabled() && gpu.changesModeByReset()) {
        return new GpuPlan.Refused(
            gpu,
            "GPU %d is not in MIG mode, and takes a reset to change it: turn it on by the label nvidia.com/mig.config while no claim holds the GPU"
                .formatted(gpu.index()));
      }
      var placement = new Placement(place.start(), place.slices());
      List<GpuInstance> before =
          division.instances().stream()
              .filter(instance -> instance.placement().overlaps(placement))
              .toList();
      var wanted =
          new Wanted(profile.get(), Optional.of(placement), List.of(profile.get().slices()));
      boolean isThere = before.size() == 1 && isWhole(before.getFirst(), wanted);
      if (!before.isEmpty() && !isThere) {
        return new GpuPlan.Refused(
            gpu,
            "GPU %d has no room for %s at memory slice %d: %s is there; destroy it, or wait until the pods of its claim end"
                .formatted(gpu.index(), profile.get().shape().name(), place.start(), text(before)));
      }
      var instances = new ArrayList<>(Target.of(division).instances());
      if (!isThere) {
        instances.add(wanted);
      }
      return Planner.plan(gpu, new Target(true, instances));
    }

    private static boolean isWhole(GpuInstance instance, Wanted wanted) {
      return instance.profile().id() == wanted.profile().id()
          && Optional.of(instance.placement()).equals(wanted.place())
          && instance.computeSlices().equals(wanted.computeSlices());
    }
  }

  /// Without a GPU instance.
  record Without(String gpu, MigPlacement place) implements ClaimLayout {
    @Override
    public GpuPlan plan(MigGpu gpu, MigPartitioning.Capable division) {
      var placement = new Placement(place.start(), place.slices());
      List<Wanted> others =
          Target.of(division).instances().stream()
              .filter(it ->
                  it.profile().id() != place.profileId()
                      || !it.place().equals(Optional.of(placement)))
              .toList();
      return Planner.plan(gpu, new Target(division.isEnabled(), others));
    }
  }

  /// Not in MIG mode.
  record Whole(String gpu) implements ClaimLayout {
    @Override
    public GpuPlan plan(MigGpu gpu, MigPartitioning.Capable division) {
      if (!division.instances().isEmpty()) {
        return new GpuPlan.Refused(
            gpu,
            "GPU %d is divided: %s is there; destroy it, or wait until the pods of its claim end"
                .formatted(gpu.index(), text(division.instances())));
      }
      return Planner.plan(gpu, new Target(false, List.of()));
    }
  }

  static String text(List<GpuInstance> instances) {
    return instances.stream()
        .map(instance ->
            "GPU instance %d (%s at memory slice %d)"
                .formatted(
                    instance.id(), instance.profile().shape().name(), instance.placement().start()))
        .collect(Collectors.joining(", "));
  }

  @Override
  default Optional<GpuPlan> plan(MigGpu gpu) {
    if (!gpu.uuid().equals(gpu())) {
      return Optional.empty();
    }
    return Optional.of(
        switch (gpu.division()) {
          case MigPartitioning.Capable division -> plan(gpu, division);
          case MigPartitioning.NotCapable() -> new GpuPlan.Steps(gpu, List.of());
        });
  }

  @Override
  default Optional<String> refusal(List<MigGpu> gpus) {
    return gpus.stream().anyMatch(it -> it.uuid().equals(gpu()))
        ? Optional.empty()
        : Optional.of("GPU %s cannot be read".formatted(gpu()));
  }

  @Override
  default boolean concerns(UnreadableGpu unreadable, List<MigGpu> readable) {
    return readable.stream().noneMatch(it -> it.uuid().equals(gpu()));
  }
}
