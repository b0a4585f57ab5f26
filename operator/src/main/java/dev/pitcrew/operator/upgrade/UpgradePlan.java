package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// What to do now with all nodes that share one upgrade policy: a function of what was observed and
/// of the time, and of nothing else.
///
/// @param nodes in the order in which they are to be carried out
/// @param halt why no further node begins, if the roll-out was halted
/// @param wake when time alone changes the plan
/// @param available how many more nodes may begin
/// @param rollbacks drivers that are to be rolled back, by the name of their DaemonSet and in that
///   order
public record UpgradePlan(
    List<NodeUpgrade> nodes,
    Optional<String> halt,
    Optional<Instant> wake,
    int available,
    SequencedMap<String, Rollback> rollbacks) {

  public UpgradePlan {
    nodes = List.copyOf(nodes);
    rollbacks = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(rollbacks));
  }

  /// Moves every node as far as it comes, and lets as many begin as may.
  public static UpgradePlan of(FleetView view) {
    var steps = new UpgradeSteps(view.policy(), view.now());
    List<NodeUpgrade> moved =
        view.nodes().stream().map(node -> advance(steps, node, node)).toList();
    List<UpgradeNode> after = moved.stream().map(NodeUpgrade::after).toList();
    var gate = new StartGate(view, view.nodes(), after);
    List<NodeUpgrade> nodes =
        gate.sorted(moved).stream()
            .map(node -> isAsking(node) ? admit(gate, steps, node) : node)
            .sorted(Comparator.comparing(NodeUpgrade::node))
            .toList();
    return new UpgradePlan(
        nodes, gate.halt(), wake(nodes, gate, view.now()), gate.available(), gate.rollbacks());
  }

  /// Moves one node that is under way as far as it comes, as the plan of its fleet would.
  public static NodeUpgrade step(UpgradeNode node, UpgradePolicySpec policy, Instant now) {
    return advance(new UpgradeSteps(policy, now), node, node);
  }

  /// What takes a node out of upgrades altogether, as when automatic upgrades are off: its label
  /// and notes are removed, and so is our cordon.
  public static NodeUpgrade release(UpgradeNode node) {
    return new NodeUpgrade(node, node.released(), List.of(), Waiting.NONE);
  }

  private static boolean isAsking(NodeUpgrade node) {
    return node.after().state() == UpgradeState.UPGRADE_REQUIRED;
  }

  private static NodeUpgrade admit(StartGate gate, UpgradeSteps steps, NodeUpgrade node) {
    return gate.hold(node.after())
        .map(hold -> new NodeUpgrade(node.before(), node.after(), List.of(), hold.waiting()))
        .orElseGet(() -> advance(steps, node.before(), steps.start(node.after())));
  }

  private static NodeUpgrade advance(UpgradeSteps steps, UpgradeNode before, UpgradeNode from) {
    Move move = steps.step(from);
    List<Effect> effects = new ArrayList<>(move.effects());
    while (move.goesOn()) {
      move = steps.step(move.node());
      effects.addAll(move.effects());
    }
    return new NodeUpgrade(before, move.node(), effects, move.waiting());
  }

  private static Optional<Instant> wake(List<NodeUpgrade> nodes, StartGate gate, Instant now) {
    return Stream.concat(
            nodes.stream().flatMap(node -> node.waiting().deadline().stream()),
            gate.acquittal().stream())
        .filter(now::isBefore)
        .min(Comparator.naturalOrder());
  }
}
