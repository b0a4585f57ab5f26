package dev.pitcrew.operator.runtime.rollout;

import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Fleet;
import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.FleetView;
import dev.pitcrew.operator.upgrade.NodePod;
import dev.pitcrew.operator.upgrade.Obstacles;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// A fleet as it would be if another driver was asked for.
record WhatIf(FleetView view) {

  /// @param version empty for the driver that is asked for already
  static WhatIf of(Fleet fleet, String version) {
    FleetView view = fleet.view();
    return version.isEmpty()
        ? new WhatIf(with(view, view.obstacles(), view.nodes()))
        : new WhatIf(
            with(
                view,
                view.obstacles().ofAnyDriver(),
                view.nodes().stream().map(node -> asked(node, fleet, version)).toList()));
  }

  /// The same with the pods of all nodes that do not run the driver that is wanted.
  ///
  /// @param pods by the name of a node
  FleetView withPods(Function<String, List<NodePod>> pods) {
    return with(
        view,
        view.obstacles(),
        view.nodes().stream()
            .map(node ->
                node.driver().filter(DriverPod::current).isPresent()
                    ? node
                    : node.withPods(Optional.of(pods.apply(node.name()))))
            .toList());
  }

  private static UpgradeNode asked(UpgradeNode node, Fleet fleet, String version) {
    boolean current =
        Optional.ofNullable(fleet.drivers().get(node.name()))
            .filter(it -> it.present().equals(version))
            .isPresent();
    return node.withDriver(
        node.driver().map(it -> it.asked(current ? it.target() : "version-" + version, current)));
  }

  /// A dry run of the fleet is no reason to plan nothing.
  private static FleetView with(FleetView view, Obstacles obstacles, List<UpgradeNode> nodes) {
    return new FleetView(
        nodes, view.policy(), view.rollout().withoutDryRun(), obstacles, view.now());
  }
}
