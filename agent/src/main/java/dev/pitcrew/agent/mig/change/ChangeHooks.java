package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.mig.config.Hooks.Moment;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What other programs do around a change.
@FunctionalInterface
public interface ChangeHooks {
  /// No hooks.
  ChangeHooks NONE = _ -> Optional.empty();

  /// @return why it did not succeed
  Optional<String> run(Moment moment);

  /// What has to be done before these steps. It is done before the wait for users of the GPUs,
  /// since it may be what removes them.
  ///
  /// @return why it did not succeed
  default Optional<String> before(List<GpuPlan.Steps> plans) {
    List<Step> steps = plans.stream().flatMap(plan -> plan.steps().stream()).toList();
    boolean changesMode = steps.stream().anyMatch(Step.SetMode.class::isInstance);
    boolean changesDevices =
        steps.stream()
            .anyMatch(step -> !(step instanceof Step.SetMode || step instanceof Step.Reset));
    return Stream.concat(
            changesMode ? Stream.of(Moment.BEFORE_MODE) : Stream.empty(),
            changesDevices ? Stream.of(Moment.BEFORE_DEVICES) : Stream.empty())
        .flatMap(moment -> run(moment).stream())
        .findFirst();
  }
}
