package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.operator.metrics.UpgradeCounts;
import dev.pitcrew.operator.upgrade.UpgradePlan;
import dev.pitcrew.operator.upgrade.UpgradeState;
import java.util.List;
import java.util.function.Predicate;

/// Counts nodes as the NVIDIA GPU Operator's metrics do: those that failed are in progress.
final class UpgradeTally {
  private UpgradeTally() {}

  static UpgradeCounts of(List<UpgradePlan> plans) {
    return new UpgradeCounts(
        plans.stream().mapToInt(plan -> count(plan, UpgradeTally::isInProgress)).sum(),
        count(plans, UpgradeState.DONE),
        count(plans, UpgradeState.FAILED),
        plans.stream().mapToInt(UpgradePlan::available).sum(),
        count(plans, UpgradeState.UPGRADE_REQUIRED));
  }

  private static int count(List<UpgradePlan> plans, UpgradeState state) {
    return plans.stream().mapToInt(plan -> count(plan, it -> it == state)).sum();
  }

  private static int count(UpgradePlan plan, Predicate<UpgradeState> which) {
    return (int) plan.nodes().stream().filter(node -> which.test(node.after().state())).count();
  }

  private static boolean isInProgress(UpgradeState state) {
    return state.isUnderWay() || state == UpgradeState.FAILED;
  }
}
