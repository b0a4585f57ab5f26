package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.DividedGpu;
import java.util.List;
import java.util.Optional;

/// Something that is wanted of the GPUs of a node.
public interface Wish {

  /// What has to be done to a GPU; empty where nothing is wanted of it.
  Optional<GpuPlan> plan(DividedGpu gpu);

  /// Why it cannot be wanted of these GPUs at all.
  Optional<String> refusal(List<DividedGpu> gpus);

  /// Whether something is, or may be, wanted of a GPU that cannot be read.
  ///
  /// @param readable the others
  boolean concerns(UnreadableGpu gpu, List<DividedGpu> readable);

  /// Why nothing may be begun, each reason with its GPU; none where it may.
  default List<String> refusals(List<DividedGpu> gpus) {
    return refusal(gpus).map(List::of).orElseGet(() -> impossible(gpus));
  }

  /// What cannot be done to single GPUs, each reason with its GPU.
  default List<String> impossible(List<DividedGpu> gpus) {
    return gpus.stream()
        .flatMap(gpu -> plan(gpu).stream())
        .filter(GpuPlan.Refused.class::isInstance)
        .map(plan -> ((GpuPlan.Refused) plan).reason())
        .toList();
  }

  /// What has to be done, without the GPUs that are as they are wanted.
  default List<GpuPlan.Steps> steps(List<DividedGpu> gpus) {
    return gpus.stream()
        .flatMap(gpu -> plan(gpu).stream())
        .filter(GpuPlan.Steps.class::isInstance)
        .map(GpuPlan.Steps.class::cast)
        .filter(steps -> !steps.isNothing())
        .toList();
  }
}
