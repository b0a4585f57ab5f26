package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Step;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import dev.pitcrew.hardware.gpu.Partitions;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Carries steps out, one after the other, until one fails or time is up. A step whose effect is
/// there already is done.
final class StepRun {
  private final GpuAccess access;
  private final InstantSource clock;
  private final Instant latest;
  private final Progress progress;

  /// Why no further step is taken.
  static final class Stopped extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean isOfMode;

    Stopped(String reason) {
      this(reason, false);
    }

    private Stopped(String reason, boolean isOfMode) {
      super(reason, null, false, false);
      this.isOfMode = isOfMode;
    }

    /// The MIG mode was set and did not come into force, which it does with the next reboot.
    static Stopped ofMode(String reason) {
      return new Stopped(reason, true);
    }

    boolean isOfMode() {
      return isOfMode;
    }

    String reason() {
      return String.valueOf(getMessage());
    }
  }

  StepRun(GpuAccess access, InstantSource clock, Instant latest, Progress progress) {
    this.access = access;
    this.clock = clock;
    this.latest = latest;
    this.progress = progress;
  }

  /// Of GPUs whose mode changes: what has to go before, and the mode.
  void changeModes(List<GpuPlan.Steps> plans) throws Stopped {
    for (GpuPlan.Steps plan : plans) {
      if (plan.changesMode()) {
        for (Step step : plan.steps()) {
          if (isBeforeReset(step)) {
            carryOut(plan.gpu().index(), step);
          }
        }
      }
    }
  }

  private static boolean isBeforeReset(Step step) {
    return step instanceof Step.DestroyCompute
        || step instanceof Step.DestroyInstance
        || step instanceof Step.SetMode;
  }

  /// Resets the GPUs of which something is wanted and whose mode waits for it.
  void reset(List<MigGpu> gpus, DesiredLayout wish) throws Stopped {
    List<MigGpu> waiting =
        gpus.stream().filter(gpu -> awaitsReset(gpu) && wish.plan(gpu).isPresent()).toList();
    if (waiting.isEmpty()) {
      return;
    }
    checkTime("resetting GPUs");
    progress.report(
        "reset GPU " + String.join(", ", waiting.stream().map(gpu -> "" + gpu.index()).toList()));
    Optional<String> problem = access.reset(waiting);
    if (problem.isPresent()) {
      throw Stopped.ofMode("the GPUs were not reset: " + problem.get());
    }
  }

  private static boolean awaitsReset(MigGpu gpu) {
    return gpu.division() instanceof MigPartitioning.Capable capable && capable.awaitsReset();
  }

  /// Everything but modes, which are as they have to be.
  void divide(List<GpuPlan.Steps> plans) throws Stopped {
    for (GpuPlan.Steps plan : plans) {
      if (plan.changesMode()) {
        throw Stopped.ofMode(
            "GPU %d did not take up the MIG mode; it needs a reset".formatted(plan.gpu().index()));
      }
      for (Step step : plan.steps()) {
        carryOut(plan.gpu().index(), step);
      }
    }
  }

  private void carryOut(int gpu, Step step) throws Stopped {
    String what = "GPU %d: %s".formatted(gpu, step.text());
    checkTime(what);
    progress.report(what);
    Answer<Boolean> answer = access.gpus().flatMap(gpus -> act(gpus, gpu, step));
    if (!(answer instanceof Answer.Value)) {
      throw new Stopped("%s: %s".formatted(what, answer.reason()));
    }
  }

  private void checkTime(String what) throws Stopped {
    if (!clock.instant().isBefore(latest)) {
      throw new Stopped("the deadline is over before " + what);
    }
  }

  private static Answer<Boolean> act(Partitions gpus, int gpu, Step step) {
    return switch (step) {
      case Step.DestroyCompute(var instance, var compute) ->
          gone(gpus.destroyCompute(gpu, instance.id(), compute.id()));
      case Step.DestroyInstance(var instance) -> gone(gpus.destroyInstance(gpu, instance.id()));
      case Step.SetMode(var isEnabled) -> gpus.setMode(gpu, isEnabled);
      case Step.Reset(), Step.PlanInstances() -> Answer.of(true);
      case Step.CreateInstance(var profile, var place) -> gpus.createInstance(gpu, profile, place);
      case Step.CreateCompute(var place, var slices) ->
          gpus.read(gpu)
              .flatMap(found ->
                  at(found, place)
                      .map(instance -> gpus.createCompute(gpu, instance.id(), slices))
                      .orElseGet(() ->
                          Answer.failed(NvmlError.NOT_FOUND, "the GPU instance at " + place)));
    };
  }

  private static Answer<Boolean> gone(Answer<Boolean> destroyed) {
    return destroyed.isFailedWith(NvmlError.NOT_FOUND) ? Answer.of(true) : destroyed;
  }

  private static Optional<GpuInstance> at(MigGpu gpu, Placement place) {
    return gpu.division() instanceof MigPartitioning.Capable capable
        ? capable.instances().stream()
            .filter(instance -> instance.placement().equals(place))
            .findFirst()
        : Optional.empty();
  }
}
