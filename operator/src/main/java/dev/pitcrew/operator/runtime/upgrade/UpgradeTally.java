package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.operator.metrics.UpgradeCounts;
import dev.pitcrew.operator.upgrade.RolloutSummary.Counts;
import dev.pitcrew.operator.upgrade.UpgradePlan;
import java.util.Collection;

/// Counts nodes as the NVIDIA GPU Operator's metrics do: those that failed are in progress.
final class UpgradeTally {
  private UpgradeTally() {}

  static UpgradeCounts of(Collection<UpgradePlan> plans) {
    Counts counts = Counts.of(plans);
    return new UpgradeCounts(
        counts.underWay() + counts.failed(),
        counts.done(),
        counts.failed(),
        plans.stream().mapToInt(UpgradePlan::available).sum(),
        counts.waiting());
  }
}
