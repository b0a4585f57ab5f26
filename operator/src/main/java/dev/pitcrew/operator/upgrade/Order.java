package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.CanarySpec;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.api.fleetpolicy.WaveSpec;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.selector.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Who goes first: some nodes as a canary, then wave by wave. Both go by what nodes are, not by
/// what was decided before, so that a node that joins, leaves or fails changes nothing else.
record Order(RolloutSpec rollout, List<UpgradeNode> nodes, Instant now) {

  /// Those that failed and are out of service for it first, then by wave, those that are out of
  /// service anyway first, then by name.
  Comparator<UpgradeNode> sequence() {
    return Comparator.comparing((UpgradeNode node) -> !node.isHeldByUs())
        .thenComparingInt(this::wave)
        .thenComparing(node -> !node.isUnavailable())
        .thenComparing(UpgradeNode::name);
  }

  /// Which wave a node belongs to, from zero; that after the last, if none selects it.
  int wave(UpgradeNode node) {
    List<WaveSpec> waves = rollout.waves();
    for (int i = 0; i < waves.size(); i++) {
      if (LabelSelector.matches(waves.get(i).nodeSelector(), node.labels())) {
        return i;
      }
    }
    return waves.size();
  }

  /// Why nodes that are not of the canary have to wait for it.
  ///
  /// @param started nodes that begin in this plan already
  Optional<Hold> canary(int started) {
    CanarySpec canary = rollout.canary();
    List<UpgradeNode> all = nodes.stream().filter(node -> !isSkipped(node)).toList();
    int wanted = Math.min(canary.nodesOrDefault(), all.size());
    if (wanted == 0) {
      return Optional.empty();
    }
    var health = new Health(rollout, now);
    List<Instant> upgraded =
        all.stream().flatMap(node -> health.soaked(node, canary.soak()).stream()).sorted().toList();
    long proven = upgraded.stream().filter(at -> !at.isAfter(now)).count();
    long underWay = all.stream().filter(UpgradeNode::isUnderWay).count() + started;
    List<UpgradeNode> doubtful = all.stream().filter(health::isDoubtful).toList();
    if (proven >= wanted || upgraded.size() + doubtful.size() + underWay < wanted) {
      return Optional.empty();
    }
    Optional<Instant> soaked =
        upgraded.size() >= wanted ? Optional.of(upgraded.get(wanted - 1)) : Optional.empty();
    return Optional.of(
        new Hold(
            "the canary of %d: %d done, %d under way, %d proven%s"
                .formatted(
                    wanted,
                    upgraded.size() + doubtful.size(),
                    underWay,
                    proven,
                    doubtful.isEmpty() ? "" : "; " + doubt(doubtful.getFirst())),
            soaked,
            "it begins once the canary has been well for %s (FleetPolicy spec.rollout.canary)%s"
                .formatted(
                    words(canary.soak()),
                    doubtful.isEmpty() ? "" : "; " + without(doubtful.getFirst()))));
  }

  /// Why the nodes of a wave have to wait for those before.
  Optional<Hold> before(int wave) {
    var health = new Health(rollout, now);
    for (UpgradeNode other : nodes) {
      int earlier = wave(other);
      if (earlier >= wave || isSkipped(other) || isFinished(other)) {
        continue;
      }
      WaveSpec before = rollout.waves().get(earlier);
      Optional<Instant> soaked = health.soaked(other, before.soak());
      if (soaked.filter(at -> !at.isAfter(now)).isEmpty()) {
        return Optional.of(
            new Hold(
                "wave %s is not through: node %s is %s"
                    .formatted(before.name(), other.name(), words(other, soaked)),
                soaked,
                "it begins after that (FleetPolicy spec.rollout.waves); " + without(other)));
      }
    }
    return Optional.empty();
  }

  /// A node that failed or is unhealthy with the driver does not hold up a wave where that does not
  /// halt the roll-out.
  private boolean isFinished(UpgradeNode node) {
    boolean isUnhealthy = Health.isSettled(node) && node.unhealthyReason().isPresent();
    return (node.state() == UpgradeState.FAILED || isUnhealthy)
        && !rollout.isHaltedByFailedHealth();
  }

  private static String doubt(UpgradeNode node) {
    return "node %s is %s".formatted(node.name(), Health.doubt(node).orElse(""));
  }

  private static String without(UpgradeNode node) {
    return "to go on without node %s, label it %s=true"
        .formatted(node.name(), NodeLabels.UPGRADE_SKIP);
  }

  static boolean isSkipped(UpgradeNode node) {
    return "true".equals(node.labels().get(NodeLabels.UPGRADE_SKIP));
  }

  private static String words(UpgradeNode node, Optional<Instant> soaked) {
    if (soaked.isPresent()) {
      return "done and has to stay well until " + soaked.get();
    }
    String state =
        node.state() == UpgradeState.UNKNOWN ? "not seen to be done" : node.state().label();
    return Health.doubt(node)
        .filter(_ -> !node.ready() || Health.isSettled(node))
        .map(doubt -> state + " and " + doubt)
        .orElse(state);
  }

  private static String words(Duration soak) {
    return soak.toSeconds() + " seconds";
  }
}
