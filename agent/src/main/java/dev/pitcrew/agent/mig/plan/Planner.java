package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.agent.mig.config.StandardConfig;
import dev.pitcrew.agent.mig.plan.Target.Wanted;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// From how a GPU is divided and how it is to be divided to the steps between.
public final class Planner {
  private Planner() {}

  /// The steps to a number of MIG devices of each shape, wherever they lie.
  public static GpuPlan plan(MigGpu gpu, ProfileCounts demand) {
    return switch (gpu.division()) {
      case MigPartitioning.NotCapable() ->
          demand.isEnabled()
              ? new GpuPlan.Refused(gpu, name(gpu) + " cannot be divided: it has no MIG")
              : new GpuPlan.Steps(gpu, List.of());
      case MigPartitioning.Capable capable when demand.isMet(capable) ->
          plan(gpu, Target.usedOf(capable));
      case MigPartitioning.Capable capable
          when capable.hidesProfiles() && !demand.counts().isEmpty() -> {
        List<MigProfile> unknown = StandardConfig.unknown(gpu, demand.counts().keySet());
        yield unknown.isEmpty()
            ? modeFirst(gpu, capable)
            : new GpuPlan.Refused(
                gpu,
                "%s has no MIG profile %s, by the standard layouts; pitcrew mig generate-config shows them"
                    .formatted(name(gpu), names(unknown)));
      }
      case MigPartitioning.Capable capable -> planned(gpu, capable, demand);
    };
  }

  private static GpuPlan planned(
      MigGpu gpu, MigPartitioning.Capable capable, ProfileCounts demand) {
    List<InstanceProfile> profiles = StandardPlacements.added(capable.profiles());
    List<MigProfile> unknown = Packing.unknown(demand, profiles);
    return unknown.isEmpty()
        ? plan(gpu, Packing.pack(demand, profiles))
        : new GpuPlan.Refused(gpu, unknownReason(gpu, unknown, profiles));
  }

  private static String unknownReason(
      MigGpu gpu, List<MigProfile> unknown, List<InstanceProfile> profiles) {
    return "%s has no MIG profile %s; %s"
        .formatted(
            name(gpu),
            names(unknown),
            profiles.isEmpty()
                ? "the driver lists no MIG profiles of it"
                : "it has " + names(profiles.stream().map(InstanceProfile::shape).toList()));
  }

  private static String names(List<MigProfile> shapes) {
    return shapes.stream().map(MigProfile::name).distinct().collect(Collectors.joining(", "));
  }

  /// The MIG mode, where the driver lists the profiles only afterwards.
  public static GpuPlan modeFirst(MigGpu gpu, MigPartitioning.Capable capable) {
    var steps = new ArrayList<Step>();
    addMode(gpu, capable, true, steps);
    steps.add(new Step.PlanInstances());
    return new GpuPlan.Steps(gpu, steps);
  }

  /// The steps to what is wanted; instances with a place lie there in the end.
  public static GpuPlan plan(MigGpu gpu, Target target) {
    if (!(gpu.division() instanceof MigPartitioning.Capable capable)) {
      return target.isEnabled()
          ? new GpuPlan.Refused(gpu, name(gpu) + " cannot be divided: it has no MIG")
          : new GpuPlan.Steps(gpu, List.of());
    }
    var wanted = target.isEnabled() ? target.instances() : List.<Wanted>of();
    var actual = capable.instances();
    Optional<InstancePlacements> best = new PlacementSolver(actual, wanted).best();
    if (best.isEmpty()) {
      return new GpuPlan.Refused(gpu, "%s has no room for %s".formatted(name(gpu), text(wanted)));
    }
    var steps = new ArrayList<Step>();
    addDestroys(best.get(), steps);
    addMode(gpu, capable, target.isEnabled(), steps);
    addCreates(best.get(), steps);
    return new GpuPlan.Steps(gpu, steps);
  }

  private static void addDestroys(InstancePlacements best, List<Step> steps) {
    best.kept()
        .forEach((instance, wanted) ->
            best.change(instance, wanted)
                .destroyed()
                .forEach(compute -> steps.add(new Step.DestroyCompute(instance, compute))));
    for (GpuInstance instance : best.destroyed()) {
      instance.computes().forEach(compute -> steps.add(new Step.DestroyCompute(instance, compute)));
      steps.add(new Step.DestroyInstance(instance));
    }
  }

  private static void addMode(
      MigGpu gpu, MigPartitioning.Capable capable, boolean isEnabled, List<Step> steps) {
    if (capable.isEnabled() != isEnabled || capable.isPending() != isEnabled) {
      steps.add(new Step.SetMode(isEnabled));
    }
    if (capable.isEnabled() != isEnabled && gpu.changesModeByReset()) {
      steps.add(new Step.Reset());
    }
  }

  private static void addCreates(InstancePlacements best, List<Step> steps) {
    best.kept()
        .forEach((instance, wanted) ->
            best.change(instance, wanted)
                .created()
                .forEach(
                    slices -> steps.add(new Step.CreateCompute(instance.placement(), slices))));
    best.created()
        .forEach((place, wanted) -> {
          steps.add(new Step.CreateInstance(wanted.profile(), place));
          ComputeChange.inOrder(wanted.computeSlices())
              .forEach(slices -> steps.add(new Step.CreateCompute(place, slices)));
        });
  }

  static String name(MigGpu gpu) {
    return "GPU %d (%s)".formatted(gpu.index(), gpu.ids().deviceText());
  }

  private static String text(List<Wanted> wanted) {
    return wanted.stream()
        .collect(
            Collectors.groupingBy(
                one -> one.profile().shape().name(), TreeMap::new, Collectors.counting()))
        .entrySet()
        .stream()
        .map(one -> one.getKey() + " x " + one.getValue())
        .collect(Collectors.joining(", "));
  }
}
