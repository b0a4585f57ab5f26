package dev.pitcrew.operator.upgrade;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.rollout.RolloutWords;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// Which of the nodes that want the new driver begin. The checks run in their order; the node
/// reports the first one that holds it back.
final class StartGate {
  private final FleetView view;
  private final Order order;
  private final MaintenanceWindows windows;
  private final Optional<String> halt;
  private final Optional<Instant> acquittal;
  private final SequencedMap<String, Rollback> rollbacks;
  private Budget budget;
  private final Map<Integer, Optional<Hold>> waves = new HashMap<>();
  private Optional<Hold> canary;
  private int started;

  /// @param before the nodes as they were observed
  /// @param after the same nodes by what is decided already
  StartGate(FleetView view, List<UpgradeNode> before, List<UpgradeNode> after) {
    this.view = view;
    // What is only decided may still be refused, as when another program has changed the node.
    this.order = new Order(view.rollout(), before, view.now());
    this.windows = new MaintenanceWindows(view.rollout().maintenanceWindows());
    var health = new Health(view.rollout(), view.now());
    this.halt = health.halt(after);
    this.acquittal = health.acquittal(after);
    this.rollbacks = health.rollbacks(after);
    this.canary = order.canary(started);
    this.budget = Budget.of(view.policy(), before, after, view.obstacles().leaving());
  }

  /// Why the roll-out goes no further, if it was halted.
  Optional<String> halt() {
    return halt;
  }

  /// When time alone may end that.
  Optional<Instant> acquittal() {
    return acquittal;
  }

  /// What is to be rolled back for that, by the name of the DaemonSet and in that order.
  SequencedMap<String, Rollback> rollbacks() {
    return rollbacks;
  }

  /// How many more nodes may begin, as far as the budget goes.
  int available() {
    return budget.available();
  }

  /// The nodes in the order in which they are to be let in.
  List<NodeUpgrade> sorted(List<NodeUpgrade> nodes) {
    return nodes.stream()
        .sorted(Comparator.comparing(NodeUpgrade::after, order.sequence()))
        .toList();
  }

  /// Lets the node in and counts it, or says why not.
  Optional<Hold> hold(UpgradeNode node) {
    Optional<Hold> hold = firstHold(node);
    if (hold.isEmpty()) {
      budget = budget.without(node);
      started++;
      canary = order.canary(started);
    }
    return hold.or(this::dryRun);
  }

  private Optional<Hold> firstHold(UpgradeNode node) {
    return skipped(node)
        .or(this::paused)
        .or(this::halted)
        .or(() -> rejected(node))
        .or(() -> Absence.hold(node))
        .or(() -> view.obstacles().of(node))
        .or(() -> windows.hold(view.now()))
        .or(() -> inTurn(node))
        .or(() -> budget.hold(node));
  }

  /// A node that failed and is still out of service for it puts nothing at risk by going first, and
  /// may be what the budget of those before it is used up by.
  private Optional<Hold> inTurn(UpgradeNode node) {
    return node.isHeldByUs()
        ? Optional.empty()
        : canary.or(() -> waves.computeIfAbsent(order.wave(node), order::before));
  }

  private static Optional<Hold> skipped(UpgradeNode node) {
    return Order.isSkipped(node)
        ? Optional.of(
            Hold.of(
                "the label " + NodeLabels.UPGRADE_SKIP + " is true",
                "it begins when the label is taken off"))
        : Optional.empty();
  }

  private Optional<Hold> paused() {
    return view.rollout().isPaused()
        ? Optional.of(
            Hold.of(
                "the roll-out is paused",
                "it begins when FleetPolicy spec.rollout.paused is false"))
        : Optional.empty();
  }

  private Optional<Hold> halted() {
    return halt.map(why ->
        Hold.of(
            RolloutWords.HALTED + why,
            "repair the node, ask for another driver, or set FleetPolicy spec.rollout.haltOnFailedHealth to false"));
  }

  /// Halts no other node once the DaemonSet whose node failed is back at its former driver.
  private static Optional<Hold> rejected(UpgradeNode node) {
    return node.driver()
        .flatMap(driver ->
            driver
                .rejection()
                .map(why ->
                    Hold.of(
                        "the driver was rolled back: " + why,
                        "ask for another driver, or remove the annotation %s from DaemonSet %s to try this one again"
                            .formatted(Rollback.ANNOTATION, driver.daemonSet()))));
  }

  /// A node that would be let in now counts as if it was, so that all report what would be done.
  private Optional<Hold> dryRun() {
    return view.rollout().isDryRun()
        ? Optional.of(
            Hold.of(
                "the roll-out is a dry run",
                "it would be cordoned, freed of pods that hold a GPU and given the new driver now,"
                    + " if FleetPolicy spec.rollout.dryRun was false"))
        : Optional.empty();
  }
}
