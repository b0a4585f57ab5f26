package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.queue.QueueOptions;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradePlan;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// Takes each node that is under way further as soon as it changes. A plan of its fleet, which
/// costs more the more nodes there are, would do the same with it, but later.
final class NodeSteps implements AutoCloseable {
  private static final int WORKERS = 8;

  private record Seen(FleetReading reading, UpgradeNode node, UpgradePolicySpec policy) {}

  private final FleetReader reader;
  private final UpgradeApply apply;
  private final Supplier<List<UpgradeScope>> scopes;
  private final InstantSource clock;
  private final Runnable left;
  private final WorkQueue<String> queue;

  /// @param scopes whose nodes are upgraded
  /// @param left run when a node is not under way any more, and its place is free
  NodeSteps(
      FleetReader reader,
      UpgradeApply apply,
      Supplier<List<UpgradeScope>> scopes,
      InstantSource clock,
      Runnable left) {
    this.reader = reader;
    this.apply = apply;
    this.scopes = scopes;
    this.clock = clock;
    this.left = left;
    this.queue =
        new WorkQueue<>(QueueOptions.named("driver-upgrade-steps", WORKERS), this::step).start();
  }

  /// Has a node looked at, and nothing done unless it is under way.
  void wake(String node) {
    queue.add(node);
  }

  /// Has those go on that have anything to do or to say by now, such as for a deadline.
  ///
  /// @param isReported whether what is planned was said already
  void goOn(List<UpgradePlan> plans, Predicate<NodeUpgrade> isReported) {
    plans.stream()
        .flatMap(plan -> plan.nodes().stream())
        .filter(NodeUpgrade::continuesAlone)
        .filter(upgrade -> !upgrade.isIdle() || !isReported.test(upgrade))
        .forEach(upgrade -> wake(upgrade.node()));
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome step(String node) {
    return apply.alone(node, () -> look(node).map(this::goOn).orElseGet(Outcome::done));
  }

  private Optional<Seen> look(String name) {
    return reader
        .underWay(name)
        .flatMap(reading ->
            scopes.get().stream()
                .flatMap(scope -> seen(reading, scope, name).stream())
                .findFirst());
  }

  private Optional<Seen> seen(FleetReading reading, UpgradeScope scope, String name) {
    return reading
        .member(scope, name, reader.pods(scope.policy()))
        .map(node -> new Seen(reading, node, scope.policy()));
  }

  private Outcome goOn(Seen seen) {
    NodeUpgrade upgrade = UpgradePlan.step(seen.node(), seen.policy(), clock.instant());
    UpgradeApply.Result result = apply.carryOut(upgrade, seen.reading());
    if (!upgrade.after().state().isUnderWay()) {
      left.run();
    }
    return result
        .again()
        .<Outcome>map(pause -> Outcome.wait(pause, "the node was not written"))
        .orElseGet(Outcome::done);
  }
}
