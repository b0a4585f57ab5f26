package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.mig.config.Hooks.Moment;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Step;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What somebody else does around a change.
@FunctionalInterface
public interface ChangeHooks {
  /// Nobody does anything.
  ChangeHooks NONE = _ -> Optional.empty();

  /// @return why it did not succeed
  Optional<String> run(Moment moment);

  /// What has to be done before these steps. It is done before anybody is waited for: it may be
  /// what takes them away.
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
