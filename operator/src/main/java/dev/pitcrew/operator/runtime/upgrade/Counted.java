package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.fleetpolicy.FleetRollout;
import dev.pitcrew.operator.metrics.UpgradeCounts;

/// Receives in each pass over the nodes how many of them stand where.
@FunctionalInterface
public interface Counted {
  /// @param isAutomatic whether anything is upgraded automatically
  void take(boolean isAutomatic, UpgradeCounts counts, FleetRollout rollout);
}
