package dev.pitcrew.operator.upgrade;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.upgrade.UpgradeFailure.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// What becomes of an upgrade whose node stops to answer: it is waited for, as machines reboot, and
/// then its place goes to another.
record Absence(Instant now) {
  /// Large machines take most of it to boot.
  static final Duration TIMEOUT = Duration.ofMinutes(15);

  /// Why a node that has not begun does not.
  static Optional<Hold> hold(UpgradeNode node) {
    return node.ready()
        ? Optional.empty()
        : Optional.of(
            Hold.of(
                sentence(node),
                "it begins once it is ready; see kubectl describe node %s, or label it %s=true to go on without it"
                    .formatted(node.name(), NodeLabels.UPGRADE_SKIP)));
  }

  /// The same of one that has begun, and whose former driver is untouched. No pod is evicted from
  /// it: none would end.
  Optional<Move> untouched(UpgradeNode node) {
    if (node.ready()) {
      return Optional.empty();
    }
    Instant deadline = node.readiness().sinceAtLeast(node.since(now)).plus(TIMEOUT);
    return Optional.of(
        now.isBefore(deadline)
            ? Move.stay(
                node,
                Waiting.until(
                    deadline,
                    sentence(node),
                    "it goes on once it is ready; after the deadline another node may begin. See kubectl describe node "
                        + node.name()))
            : Move.on(
                node.failed(
                    Stage.WORKLOAD,
                    "%s, for %d minutes".formatted(sentence(node), TIMEOUT.toMinutes()),
                    now)));
  }

  /// For a person.
  static String sentence(UpgradeNode node) {
    return "node %s is not ready: %s".formatted(node.name(), node.readiness().cause());
  }
}
