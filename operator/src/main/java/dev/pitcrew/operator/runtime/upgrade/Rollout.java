package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.operator.upgrade.FleetView;
import dev.pitcrew.operator.upgrade.Obstacles;
import dev.pitcrew.operator.upgrade.PreflightPlan;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// What the FleetPolicy says of roll-outs, or why that is not known.
record Rollout(RolloutSpec spec, Optional<String> problem) {

  /// @param source throws [UnreadableResource]
  static Rollout of(Supplier<RolloutSpec> source) {
    try {
      return new Rollout(source.get(), Optional.empty());
    } catch (UnreadableResource e) {
      return new Rollout(
          RolloutSpec.ABSENT, Optional.of("FleetPolicy fleet cannot be read: " + e.getMessage()));
    }
  }

  /// What is pulled beforehand; whatever is under way stays so while what is wanted is unknown.
  PreflightPlan preflight(FleetReading reading, List<UpgradeNode> fleet, Instant now) {
    return problem.isPresent() ? PreflightPlan.NONE : Preflights.plan(reading, fleet, spec, now);
  }

  /// All that a plan of these nodes depends on.
  ///
  /// @param leaving names of nodes of no scope any more that an upgrade still holds
  FleetView view(
      UpgradeScope scope,
      List<UpgradeNode> nodes,
      PreflightPlan preflight,
      List<String> leaving,
      Instant now) {
    return new FleetView(
        nodes,
        scope.policy(),
        spec,
        new Obstacles(problem.or(scope::problem), preflight.obstacles(), leaving),
        now);
  }
}
