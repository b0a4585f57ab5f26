package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/// What nodes that have the new driver say of it.
record Health(RolloutSpec rollout, Instant now) {

  /// Why no further node may begin: one failed with the driver that is wanted, or is not well since
  /// it has it.
  Optional<String> halt(List<UpgradeNode> nodes) {
    return failures(nodes).values().stream().findFirst();
  }

  /// What is to be taken back for that.
  Map<String, Rollback> rollbacks(List<UpgradeNode> nodes) {
    return rollout.isRollingBack() ? Rollback.of(failures(nodes), nodes) : Map.of();
  }

  private SequencedMap<UpgradeNode, String> failures(List<UpgradeNode> nodes) {
    var failures = new LinkedHashMap<UpgradeNode, String>();
    if (isWatched()) {
      nodes.forEach(node -> failure(node).ifPresent(why -> failures.put(node, why)));
    }
    return failures;
  }

  private boolean isWatched() {
    return !rollout.isAbsent() && rollout.isHaltedByFailedHealth();
  }

  private Optional<String> failure(UpgradeNode node) {
    String target = node.driver().map(DriverPod::target).orElse("");
    Optional<String> failed =
        node.state() == UpgradeState.FAILED
            ? node.marks()
                .failure()
                .filter(it -> it.stage() == UpgradeFailure.Stage.DRIVER)
                .filter(it -> it.target().equals(target))
                .map(it -> "node %s failed: %s".formatted(node.name(), it.message()))
            : Optional.empty();
    return failed.or(() -> isUpgraded(node) ? unwell(node) : Optional.empty());
  }

  private static Optional<String> unwell(UpgradeNode node) {
    return node.sickness()
        .map(it -> "node %s has the new driver and is not well: %s".formatted(node.name(), it));
  }

  /// Whether this roll-out gave the node its driver, and not its installation.
  static boolean isUpgraded(UpgradeNode node) {
    return node.state() == UpgradeState.DONE
        && node.isCurrent()
        && node.marks().since().isPresent();
  }

  /// When the node has been well for this long; empty while it is not done, or not well. One that
  /// went away meanwhile and came back, as after a crash of its kernel, begins anew.
  Optional<Instant> soaked(UpgradeNode node, Duration soak) {
    return isSettled(node) && node.ready() && node.sickness().isEmpty()
        ? Optional.of(
            node.marks()
                .since()
                .map(since -> node.readiness().sinceAtLeast(since).plus(soak))
                .orElse(Instant.MIN))
        : Optional.empty();
  }

  /// Whether the roll-out gave the node its driver, and has not heard of it since.
  static boolean isAway(UpgradeNode node) {
    return isUpgraded(node) && !node.ready();
  }

  private static boolean isSettled(UpgradeNode node) {
    return (node.state() == UpgradeState.DONE || node.state() == UpgradeState.UNKNOWN)
        && node.isCurrent();
  }
}
