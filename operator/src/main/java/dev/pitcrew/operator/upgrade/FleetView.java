package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/// All that a plan depends on: the nodes that share one upgrade policy, as they were observed.
///
/// @param nodes in the order of their names, not in that in which they were seen
/// @param rollout what the FleetPolicy says beyond the policy; absent where there is none
/// @param obstacles why nodes may not begin, as far as that is known from elsewhere, such as an
///   image that could not be pulled beforehand
public record FleetView(
    List<UpgradeNode> nodes,
    UpgradePolicySpec policy,
    RolloutSpec rollout,
    Obstacles obstacles,
    Instant now) {

  public FleetView {
    nodes = nodes.stream().sorted(Comparator.comparing(UpgradeNode::name)).toList();
  }
}
