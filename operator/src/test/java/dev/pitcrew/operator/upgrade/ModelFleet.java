package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.operator.upgrade.ModelNode.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// A fleet in pure code: nodes, a driver that is wanted, a clock, and an operator that may be
/// killed between any two of its writes.
final class ModelFleet {
  final List<ModelNode> nodes = new ArrayList<>();
  final UpgradePolicySpec policy;
  final RolloutSpec rollout;
  String target = "1";
  Instant now = Instant.parse("2026-11-22T08:00:00Z");

  ModelFleet(int size, UpgradePolicySpec policy, RolloutSpec rollout) {
    this.policy = policy;
    this.rollout = rollout;
    for (int i = 0; i < size; i++) {
      join();
    }
  }

  /// The same nodes where no roll-out halts, and as many may be out of service as are.
  ModelFleet withoutRollout() {
    var open =
        new ModelFleet(
            0,
            Rules.policy(
                "{autoUpgrade: true, maxParallelUpgrades: 1, maxUnavailable: 100%%, drain: {enable: %s}}"
                    .formatted(policy.drain().isEnabled())),
            Rules.rollout(""));
    open.nodes.addAll(nodes);
    return open;
  }

  void join() {
    var node = new ModelNode("gpu-%02d".formatted(nodes.size()), target);
    if (nodes.size() % 2 == 0) {
      node.labels.put("half", "first");
    }
    nodes.add(node);
  }

  UpgradePlan plan() {
    return UpgradePlan.of(view());
  }

  FleetView view() {
    return new FleetView(
        nodes.stream().map(node -> node.observed(target)).toList(),
        policy,
        rollout,
        new Obstacles(Optional.empty(), preflight(), List.of()),
        now);
  }

  /// Where images cannot be pulled, the preflight holds the node back.
  private Map<String, Hold> preflight() {
    return nodes.stream()
        .filter(node -> node.imageless && rollout.isPreflighted())
        .collect(
            Collectors.toMap(
                node -> node.name,
                _ -> Hold.of("the image cannot be pulled", "it begins once the image is there")));
  }

  /// Carries out a plan as a whole.
  void carryOut(UpgradePlan plan) {
    carryOut(plan, 0, Integer.MAX_VALUE);
  }

  /// Carries out a plan, of which no more than `writes` writes succeed: those from some node on, as
  /// many are written at a time.
  void carryOut(UpgradePlan plan, int first, int writes) {
    int left = writes;
    var upgrades = new ArrayList<>(plan.nodes());
    Collections.rotate(upgrades, first);
    for (NodeUpgrade upgrade : upgrades) {
      ModelNode node = node(upgrade.node());
      if (upgrade.changesNode()) {
        if (left-- <= 0) {
          die();
          return;
        }
        node.write(upgrade);
      }
      for (Effect effect : upgrade.effects()) {
        if (left-- <= 0) {
          die();
          return;
        }
        node.carryOut(effect);
      }
      node.remember(upgrade);
    }
  }

  /// Carries out a plan, of which the API server refuses the writes to one node: its admission may
  /// be against them, or another writer has changed the node since it was read.
  void carryOutRefused(UpgradePlan plan, ModelNode refused) {
    plan.nodes().stream()
        .filter(upgrade -> !upgrade.node().equals(refused.name) || !upgrade.changesNode())
        .forEach(upgrade -> node(upgrade.node()).carryOut(upgrade));
  }

  private void die() {
    nodes.forEach(node -> node.podsAsked = false);
  }

  /// Lets those begin that a plan let in, while the others have gone on since.
  void carryOutBesideSteps(UpgradePlan plan) {
    nodes.forEach(this::step);
    plan.nodes().stream()
        .filter(upgrade -> !upgrade.continuesAlone())
        .forEach(upgrade -> node(upgrade.node()).carryOut(upgrade));
  }

  /// One node goes on alone, if it is under way.
  void step(ModelNode node) {
    UpgradeNode seen = node.observed(target);
    if (seen.state().isUnderWay()) {
      node.carryOut(UpgradePlan.step(seen, policy, now));
    }
  }

  /// Everything goes well from here on, until nothing changes any more.
  int calmDown() {
    nodes.forEach(node -> node.comesBack(now));
    nodes.forEach(ModelFleet::goesWell);
    return run(_ -> true);
  }

  private static void goesWell(ModelNode node) {
    node.pinned = false;
    node.slow = false;
    node.imageless = false;
    node.unhealthyReason = Optional.empty();
    node.podsEnd();
  }

  /// The same, but for nodes that never come back.
  void calmDownWithout(Set<ModelNode> dead) {
    nodes.forEach(ModelFleet::goesWell);
    nodes.stream().filter(node -> !dead.contains(node)).forEach(node -> node.comesBack(now));
    dead.forEach(node -> node.falls(now));
    run(node -> !dead.contains(node));
    Instant end = now.plus(Absence.TIMEOUT).plus(DriverSteps.START).plus(DriverSteps.VALIDATION);
    while (now.isBefore(end)) {
      now = now.plus(Duration.ofMinutes(1));
      carryOut(plan());
    }
  }

  /// @param awaited the nodes that are to come to an end
  private int run(Predicate<ModelNode> awaited) {
    for (int round = 1; round < 100 * (nodes.size() + 1); round++) {
      UpgradePlan plan = plan();
      if (plan.nodes().stream().noneMatch(NodeUpgrade::changesNode) && isSettled(awaited)) {
        return round;
      }
      if (plan.nodes().stream().noneMatch(NodeUpgrade::changesNode)) {
        handBackOne();
      }
      carryOut(plan);
      nodes.forEach(node -> node.live(target, Start.READY));
      now = isWaitingForWindow(plan) ? plan.wake().orElseThrow() : now.plus(Duration.ofMinutes(1));
    }
    throw new AssertionError("the fleet does not come to rest: " + plan());
  }

  /// Whether nothing happens until the plan says so.
  private boolean isWaitingForWindow(UpgradePlan plan) {
    return isClosed()
        && underWay() == 0
        && plan.wake().isPresent()
        && plan.nodes().stream().noneMatch(NodeUpgrade::changesNode)
        && nodes.stream().allMatch(node -> node.start == Start.READY && node.validated);
  }

  /// Whether no maintenance window is open.
  boolean isClosed() {
    return new MaintenanceWindows(rollout.maintenanceWindows()).hold(now).isPresent();
  }

  /// What an administrator took out of service counts against the budget until it is given back.
  private void handBackOne() {
    nodes.stream()
        .filter(node -> node.cordonedByAdmin && !node.observed(target).isUnderWay())
        .findFirst()
        .ifPresent(node -> {
          node.cordonedByAdmin = false;
          node.unschedulable = false;
        });
  }

  private boolean isSettled(Predicate<ModelNode> awaited) {
    return nodes.stream()
        .filter(awaited)
        .allMatch(node ->
            node.start == Start.READY
                && node.observed(target).state() == UpgradeState.DONE
                && node.observed(target).isCurrent());
  }

  ModelNode node(String name) {
    return nodes.stream().filter(node -> node.name.equals(name)).findFirst().orElseThrow();
  }

  int down() {
    return (int) nodes.stream().filter(node -> node.unschedulable || !node.ready).count();
  }

  int underWay() {
    return (int) nodes.stream().filter(node -> node.observed(target).isUnderWay()).count();
  }
}
