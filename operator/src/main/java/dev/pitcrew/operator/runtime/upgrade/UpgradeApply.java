package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.operator.eviction.PodToEvict;
import dev.pitcrew.operator.upgrade.Effect;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.PodName;
import io.fabric8.kubernetes.api.model.Node;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what is planned for a node: first the node is written, then pods are asked to go,
/// then it is told.
///
/// For use by one thread at a time.
final class UpgradeApply {
  private static final Logger log = LoggerFactory.getLogger(UpgradeApply.class);

  /// For nodes that are not under way, in one pass.
  private static final Duration LEISURE = Duration.ofMillis(50);

  /// What came of it.
  enum Result {
    /// It is as planned, or the change that is in the way wakes the next pass.
    DONE,
    /// There is something that the next pass has to tell, or to go on with.
    NEWS,
    /// The API server could not be asked, or said no.
    FAILED
  }

  private final Cache<Node> nodes;
  private final Applier applier;
  private final NodeWrites writes;
  private final EvictionAttempts evictions;
  private final RolloutReports reports;
  private final Set<String> deleted = new HashSet<>();

  UpgradeApply(
      Cache<Node> nodes, Applier applier, EvictionAttempts evictions, RolloutReports reports) {
    this.nodes = nodes;
    this.applier = applier;
    this.writes = new NodeWrites(applier);
    this.evictions = evictions;
    this.reports = reports;
  }

  /// Whether the cache does not show yet what was written.
  boolean isAhead() {
    return writes.isAheadOf(nodes);
  }

  /// Uids of driver pods that were deleted and may not show it yet.
  Set<String> deleted() {
    return deleted;
  }

  /// Carries out a plan, of nodes that are under way first. Those that only learn that they have to
  /// wait can be a thousand: what of them takes longer than a moment is left to the next pass, as
  /// nodes under way may have gone on meanwhile.
  Set<Result> carryOut(List<NodeUpgrade> upgrades, UpgradeSources.Open open) {
    var results = EnumSet.noneOf(Result.class);
    long begin = 0;
    for (NodeUpgrade upgrade : urgentFirst(upgrades)) {
      if (!isUrgent(upgrade) && begin == 0) {
        begin = System.nanoTime();
      }
      boolean isPutOff =
          begin != 0 && upgrade.changesNode() && System.nanoTime() - begin > LEISURE.toNanos();
      results.add(isPutOff ? Result.NEWS : carryOut(upgrade, open));
    }
    return results;
  }

  private static List<NodeUpgrade> urgentFirst(List<NodeUpgrade> upgrades) {
    return Stream.concat(
            upgrades.stream().filter(UpgradeApply::isUrgent),
            upgrades.stream().filter(upgrade -> !isUrgent(upgrade)))
        .toList();
  }

  private static boolean isUrgent(NodeUpgrade upgrade) {
    return upgrade.before().state().isUnderWay() || upgrade.after().state().isUnderWay();
  }

  private Result carryOut(NodeUpgrade upgrade, UpgradeSources.Open open) {
    Optional<Node> live = nodes.get("", upgrade.node());
    try {
      if (live.isEmpty() || !writes.write(live.get(), upgrade)) {
        return Result.DONE;
      }
      boolean news = false;
      for (Effect effect : upgrade.effects()) {
        news |= carryOut(upgrade.node(), effect, open);
      }
      reports.tell(live.get(), upgrade, open.reports());
      return news ? Result.NEWS : Result.DONE;
    } catch (KubeException e) {
      log.warn("node {} cannot be upgraded now: {}", upgrade.node(), e.getMessage());
      return Result.FAILED;
    }
  }

  private boolean carryOut(String node, Effect effect, UpgradeSources.Open open) {
    return switch (effect) {
      case Effect.Evict(PodName pod) ->
          evictions.evict(
              new PodToEvict(pod.namespace(), pod.name(), pod.uid(), node),
              open.nodePods().find(node, pod.namespace(), pod.name()),
              "the GPU driver of node %s is being upgraded".formatted(node));
      case Effect.DeleteDriver(PodName pod) -> {
        open.drivers()
            .get(pod.namespace(), pod.name())
            .filter(it -> it.getMetadata().getUid().equals(pod.uid()))
            .ifPresent(it -> applier.delete(it, Dependents.FOLLOW));
        deleted.add(pod.uid());
        yield false;
      }
    };
  }
}
