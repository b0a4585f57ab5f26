package dev.pitcrew.operator.policy;

import dev.pitcrew.api.fleetpolicy.OperandState;
import dev.pitcrew.api.fleetpolicy.OperandStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// How far each operand of a plan has come, for the FleetPolicy's status and for metrics.
public final class OperandProgress {
  private OperandProgress() {}

  /// One entry an operand, in their order.
  ///
  /// @param rollouts how far a DaemonSet has come, by name
  public static List<OperandStatus> of(PolicyPlan plan, Function<String, Rollout> rollouts) {
    return plan.operands().stream().map(operand -> of(operand, rollouts)).toList();
  }

  private static OperandStatus of(OperandPlan plan, Function<String, Rollout> rollouts) {
    String name = plan.operand().state();
    return switch (plan) {
      case OperandPlan.Wanted wanted ->
          counted(
              name,
              wanted.daemonSets().stream()
                  .map(daemonSet -> rollouts.apply(daemonSet.getMetadata().getName()))
                  .toList());
      case OperandPlan.WithoutNodes _ -> status(name, OperandState.READY, "no GPU node needs it");
      case OperandPlan.InvalidLayout _, OperandPlan.Replaced _, OperandPlan.HandedOver _ ->
          status(name, OperandState.DISABLED, "");
      case OperandPlan.Blocked blocked ->
          status(name, OperandState.NOT_READY, blocked.problem().message());
    };
  }

  private static OperandStatus counted(String name, List<Rollout> rollouts) {
    String lack =
        rollouts.stream()
            .map(Rollout::lack)
            .flatMap(Optional::stream)
            .collect(Collectors.joining("; "));
    return new OperandStatus(
        name,
        lack.isEmpty() ? OperandState.READY : OperandState.NOT_READY,
        rollouts.stream().mapToInt(Rollout::desired).sum(),
        rollouts.stream().mapToInt(Rollout::available).sum(),
        rollouts.stream().mapToInt(Rollout::updated).sum(),
        lack.isEmpty() ? null : lack,
        Map.of());
  }

  private static OperandStatus status(String name, OperandState state, String message) {
    return new OperandStatus(name, state, 0, 0, 0, message.isEmpty() ? null : message, Map.of());
  }
}
