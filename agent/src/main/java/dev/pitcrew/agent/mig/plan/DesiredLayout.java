package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import java.util.List;
import java.util.Optional;

/// Something that is wanted of the GPUs of a node.
public interface DesiredLayout {

  /// What has to be done to a GPU; empty where nothing is wanted of it.
  Optional<GpuPlan> plan(MigGpu gpu);

  /// Why it cannot be wanted of these GPUs at all.
  Optional<String> refusal(List<MigGpu> gpus);

  /// Why it is about no GPU of a node that has some.
  default Optional<String> mismatch(MigNode node) {
    return Optional.empty();
  }

  /// Whether something is, or may be, wanted of a GPU that cannot be read.
  ///
  /// @param readable the others
  boolean concerns(UnreadableGpu gpu, List<MigGpu> readable);

  /// Why nothing may be begun, each reason with its GPU; none where it may.
  default List<String> refusals(List<MigGpu> gpus) {
    return refusal(gpus).map(List::of).orElseGet(() -> impossible(gpus));
  }

  /// As [#refusals(List)], also where it is about no GPU of the node.
  default List<String> refusals(MigNode node) {
    List<String> refusals = refusals(node.gpus());
    return refusals.isEmpty() ? mismatch(node).stream().toList() : refusals;
  }

  /// What cannot be done to single GPUs, each reason with its GPU.
  default List<String> impossible(List<MigGpu> gpus) {
    return gpus.stream()
        .flatMap(gpu -> plan(gpu).stream())
        .filter(GpuPlan.Refused.class::isInstance)
        .map(plan -> ((GpuPlan.Refused) plan).reason())
        .toList();
  }

  /// What has to be done, without the GPUs that are as they are wanted.
  default List<GpuPlan.Steps> steps(List<MigGpu> gpus) {
    return gpus.stream()
        .flatMap(gpu -> plan(gpu).stream())
        .filter(GpuPlan.Steps.class::isInstance)
        .map(GpuPlan.Steps.class::cast)
        .filter(steps -> !steps.isNothing())
        .toList();
  }
}
