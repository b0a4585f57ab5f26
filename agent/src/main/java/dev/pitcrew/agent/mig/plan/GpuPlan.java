package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.List;
import java.util.stream.Stream;

/// What has to be done to one GPU.
public sealed interface GpuPlan {

  /// @param steps in their order; none where the GPU is as it is wanted
  record Steps(MigGpu gpu, List<Step> steps) implements GpuPlan {
    public Steps {
      steps = List.copyOf(steps);
    }

    public boolean isNothing() {
      return steps.isEmpty();
    }

    public boolean changesMode() {
      return steps.stream().anyMatch(step -> step instanceof Step.SetMode);
    }

    /// The processes that would lose what they compute on, by process id.
    public List<Integer> processesInTheWay() {
      var ofSteps =
          steps.stream()
              .flatMap(step ->
                  step instanceof Step.DestroyCompute(_, var compute)
                      ? compute.processes().stream()
                      : Stream.<Integer>empty());
      var ofGpu =
          changesMode() && gpu.division() instanceof MigPartitioning.Capable capable
              ? capable.processes().stream()
              : Stream.<Integer>empty();
      return Stream.concat(ofSteps, ofGpu).distinct().sorted().toList();
    }
  }

  /// Nothing can be done, and nothing is to be tried.
  record Refused(MigGpu gpu, String reason) implements GpuPlan {}
}
