package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/// What nodes that have the new driver say of it.
record Health(RolloutSpec rollout, Instant now) {

  /// Why no further node may begin: enough nodes failed with the driver that is wanted, or are not
  /// well since they have it.
  Optional<String> halt(List<UpgradeNode> nodes) {
    SequencedMap<UpgradeNode, String> failures = failures(nodes);
    return failures.values().stream()
        .findFirst()
        .map(why ->
            failures.size() == 1 ? why : "%d nodes failed; %s".formatted(failures.size(), why));
  }

  /// What is to be rolled back for that, by the name of the DaemonSet and in that order.
  SequencedMap<String, Rollback> rollbacks(List<UpgradeNode> nodes) {
    return rollout.isRollingBack() && !rollout.isDryRun()
        ? Rollback.of(failures(nodes), nodes)
        : Collections.emptyNavigableMap();
  }

  /// When the next node that is not well ceases to be held against its driver.
  Optional<Instant> acquittal(List<UpgradeNode> nodes) {
    return nodes.stream()
        .filter(node -> isWatched() && isUpgraded(node) && node.unhealthyReason().isPresent())
        .map(this::probation)
        .filter(now::isBefore)
        .min(Comparator.naturalOrder());
  }

  private SequencedMap<UpgradeNode, String> failures(List<UpgradeNode> nodes) {
    var failures = new LinkedHashMap<UpgradeNode, String>();
    if (isWatched()) {
      nodes.forEach(node ->
          failure(node).or(() -> unwell(node, nodes)).ifPresent(why -> failures.put(node, why)));
    }
    return failures.size() < rollout.haltAfterFailedNodesOrDefault()
        ? new LinkedHashMap<>()
        : failures;
  }

  private boolean isWatched() {
    return !rollout.isAbsent() && rollout.isHaltedByFailedHealth();
  }

  private static Optional<String> failure(UpgradeNode node) {
    return node.state() == UpgradeState.FAILED && !node.marks().sameDriver()
        ? node.marks()
            .failure()
            .filter(it -> it.accuses(node.driver().map(DriverPod::target)))
            .map(it -> "node %s failed: %s".formatted(node.name(), it.message()))
        : Optional.empty();
  }

  /// GPUs break for other reasons, too: once all nodes have the driver, and this one has been well
  /// for so long, it says nothing of the driver any more.
  private Optional<String> unwell(UpgradeNode node, List<UpgradeNode> nodes) {
    return node.unhealthyReason()
        .filter(_ -> isUpgraded(node))
        .filter(
            _ -> now.isBefore(probation(node)) || nodes.stream().anyMatch(it -> isBehind(it, node)))
        .map(it -> "node %s has the new driver and is not well: %s".formatted(node.name(), it));
  }

  private Instant probation(UpgradeNode node) {
    return node.since(now).plus(rollout.canary().soak());
  }

  /// Whether it is still to get the driver that another has. One that has no driver pod now gets
  /// whichever is wanted.
  private static boolean isBehind(UpgradeNode node, UpgradeNode upgraded) {
    String daemonSet = upgraded.driver().map(DriverPod::daemonSet).orElse("");
    return !Order.isSkipped(node)
        && node.driver()
            .map(driver -> !driver.current() && driver.daemonSet().equals(daemonSet))
            .orElse(node.isUnderWay());
  }

  /// Whether this roll-out gave the node its driver: it had another before, and was not only asked
  /// for again.
  static boolean isUpgraded(UpgradeNode node) {
    return node.state() == UpgradeState.DONE
        && node.isCurrent()
        && !node.marks().sameDriver()
        && node.marks().since().isPresent();
  }

  /// When the node has been well for this long; empty while it is not done, or proves nothing. One
  /// that was away meanwhile, as after a crash of its kernel, starts again.
  Optional<Instant> soaked(UpgradeNode node, Duration soak) {
    return isSettled(node) && doubt(node).isEmpty()
        ? served(node).map(since -> node.readiness().sinceAtLeast(since).plus(soak))
        : Optional.empty();
  }

  /// Why a node that has the driver proves nothing of it, if it does not.
  static Optional<String> doubt(UpgradeNode node) {
    if (!node.ready()) {
      return Optional.of("not ready: " + node.readiness().cause());
    }
    if (node.unhealthyReason().isPresent()) {
      return node.unhealthyReason().map(it -> "not well: " + it);
    }
    Optional<DriverPod> driver = node.driver();
    if (driver.filter(DriverPod::ready).isEmpty()) {
      return driver.map(DriverPod::blocker);
    }
    return node.validation() instanceof Validation.Pending(String blocker)
        ? Optional.of("not validated: " + blocker)
        : Optional.empty();
  }

  /// Since when it has had the driver without a break: one that joined with it, or whose driver pod
  /// went away meanwhile, since that is ready.
  private static Optional<Instant> served(UpgradeNode node) {
    Optional<Instant> ready = node.driver().flatMap(DriverPod::readySince);
    return node.marks()
        .since()
        .map(since -> ready.filter(since::isBefore).orElse(since))
        .or(() -> ready);
  }

  /// Whether the roll-out gave the node its driver, and something there is not as it should be.
  /// Such a node may yet turn out well, or show what is wrong with the driver; an unhealthy one
  /// that does not halt the roll-out shows nothing.
  boolean isDoubtful(UpgradeNode node) {
    boolean isPassedOver = node.unhealthyReason().isPresent() && !rollout.isHaltedByFailedHealth();
    return isUpgraded(node) && !isPassedOver && doubt(node).isPresent();
  }

  static boolean isSettled(UpgradeNode node) {
    return (node.state() == UpgradeState.DONE || node.state() == UpgradeState.UNKNOWN)
        && node.isCurrent();
  }
}
