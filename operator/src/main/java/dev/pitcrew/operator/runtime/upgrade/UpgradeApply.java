package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.operator.eviction.PodToEvict;
import dev.pitcrew.operator.upgrade.Effect;
import dev.pitcrew.operator.upgrade.NodeUpgrade;
import dev.pitcrew.operator.upgrade.PodName;
import dev.pitcrew.operator.upgrade.Waiting;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Carries out what is planned for a node: first the node is written, then pods are evicted, then
/// it is reported.
///
/// Safe for use by many threads; on one node one works at a time.
final class UpgradeApply {
  private static final Logger log = LoggerFactory.getLogger(UpgradeApply.class);

  /// How many nodes are written at a time: each write is a round trip, and the API server gives the
  /// operator no more than its fair share of seats anyway.
  private static final int HANDS = 8;

  /// How long to wait before the API server is asked again what it could not do.
  private static final Duration RETRY = Duration.ofSeconds(10);

  /// How long to wait for the change that another writer has made first.
  private static final Duration UNTIL_CAUGHT_UP = Duration.ofMillis(50);

  /// For nodes that do not begin, in one pass.
  private static final Duration LEISURE = Duration.ofMillis(50);

  /// What came of it.
  enum Result {
    /// It is as planned.
    DONE,
    /// It is left to the next pass.
    PUT_OFF,
    /// Another writer has changed the node meanwhile, which need not be a change that wakes a pass.
    OVERTAKEN,
    /// The API server could not be asked, or said no.
    FAILED;

    /// How long to wait before it is tried again.
    Optional<Duration> again() {
      return switch (this) {
        case DONE, PUT_OFF -> Optional.empty();
        case OVERTAKEN -> Optional.of(UNTIL_CAUGHT_UP);
        case FAILED -> Optional.of(RETRY);
      };
    }
  }

  private final Applier applier;
  private final NodeWrites writes;
  private final EvictionAttempts evictions;
  private final RolloutReports reports;
  private final Set<String> deleted = ConcurrentHashMap.newKeySet();
  private final Set<String> undeletable = ConcurrentHashMap.newKeySet();
  private final Map<String, ReentrantLock> working = new ConcurrentHashMap<>();

  UpgradeApply(
      Applier applier, NodeWrites writes, EvictionAttempts evictions, RolloutReports reports) {
    this.applier = applier;
    this.writes = writes;
    this.evictions = evictions;
    this.reports = reports;
  }

  /// Uids of driver pods that were deleted and may not show it yet.
  Set<String> deleted() {
    return deleted;
  }

  /// Forgets all driver pods but these, by uid.
  void keepDrivers(Set<String> pods) {
    deleted.retainAll(pods);
    undeletable.retainAll(pods);
  }

  /// Carries out a plan, several nodes at a time, and those that begin first. Those that only learn
  /// that they have to wait can be a thousand: all but a few of them are left to the next pass once
  /// that takes longer than a moment, or a place has come free meanwhile.
  ///
  /// @param reading what the plan was made from
  /// @param isPlaceFree whether a place has come free since
  Set<Result> carryOut(
      List<NodeUpgrade> upgrades, FleetReading reading, BooleanSupplier isPlaceFree) {
    Set<Result> results = ConcurrentHashMap.newKeySet();
    carryOut(
        upgrades.stream().filter(UpgradeApply::begins),
        upgrade -> results.add(carryOut(upgrade, reading)));
    long begin = System.nanoTime();
    var changing = new AtomicInteger();
    carryOut(
        upgrades.stream().filter(upgrade -> !begins(upgrade)),
        upgrade -> {
          boolean isPutOff =
              upgrade.changesNode()
                  && changing.incrementAndGet() > HANDS
                  && (isPlaceFree.getAsBoolean() || System.nanoTime() - begin > LEISURE.toNanos());
          results.add(isPutOff ? Result.PUT_OFF : carryOut(upgrade, reading));
        });
    return results;
  }

  /// Returns when all is done. Nodes have nothing to do with each other here: whatever part of a
  /// plan is carried out, the budget holds.
  private static void carryOut(Stream<NodeUpgrade> upgrades, Consumer<NodeUpgrade> work) {
    try (var hands = Executors.newFixedThreadPool(HANDS, Thread.ofVirtual().factory())) {
      upgrades.forEach(upgrade -> {
        if (upgrade.isIdle()) {
          work.accept(upgrade);
        } else {
          hands.execute(() -> work.accept(upgrade));
        }
      });
    }
  }

  private static boolean begins(NodeUpgrade upgrade) {
    return upgrade.after().state().isUnderWay();
  }

  /// Works on a node while no other thread does.
  <T> T alone(String node, Supplier<T> work) {
    ReentrantLock lock = working.computeIfAbsent(node, _ -> new ReentrantLock());
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  /// Forgets all nodes but these.
  void keep(Set<String> nodes) {
    working.keySet().retainAll(nodes);
    evictions.keepNodes(nodes);
  }

  /// Carries out what is planned for one node.
  Result carryOut(NodeUpgrade upgrade, FleetReading reading) {
    return alone(upgrade.node(), () -> carryOutAlone(upgrade, reading));
  }

  private Result carryOutAlone(NodeUpgrade upgrade, FleetReading reading) {
    Node live = reading.node(upgrade.node());
    try {
      rehearse(upgrade, reading.sources());
      if (!writes.write(live, upgrade)) {
        return Result.OVERTAKEN;
      }
      upgrade.effects().forEach(effect -> carryOut(upgrade.node(), effect, reading.sources()));
      evictions.asked(upgrade.node(), upgrade.after().podsAsked());
      reports.report(live, upgrade, reading.sources().reports());
      return Result.DONE;
    } catch (KubeException e) {
      log.warn("node {} cannot be upgraded now: {}", upgrade.node(), e.getMessage());
      reports.report(live, refused(upgrade, e), reading.sources().reports());
      return Result.FAILED;
    } catch (RuntimeException e) { // of one node; the others go on
      log.warn("node {} cannot be upgraded now", upgrade.node(), e);
      return Result.FAILED;
    }
  }

  /// Each note that a driver is replaced now restarts the driver's time: none is made for a
  /// deletion that would be refused as the last one was.
  private void rehearse(NodeUpgrade upgrade, UpgradeSources.Open open) {
    for (Effect effect : upgrade.effects()) {
      if (effect instanceof Effect.DeleteDriver(PodName pod) && undeletable.contains(pod.uid())) {
        driver(pod, open).ifPresent(applier::rehearseDelete);
      }
    }
  }

  /// The node stays where it was seen; where its own write was let through, the next pass says so.
  /// What is refused has no deadline: it would move with each try.
  private static NodeUpgrade refused(NodeUpgrade upgrade, KubeException why) {
    return new NodeUpgrade(
        upgrade.before(),
        upgrade.before(),
        List.of(),
        Waiting.of(
            "the API server refused the operator's next step: " + why.reason(),
            "it is tried again within ten seconds; allow it to the service account of the operator"));
  }

  private void carryOut(String node, Effect effect, UpgradeSources.Open open) {
    switch (effect) {
      case Effect.Evict(PodName pod) ->
          evictions.evict(
              new PodToEvict(pod.namespace(), pod.name(), pod.uid(), node),
              () -> open.nodePods().find(node, pod.namespace(), pod.name()),
              "the GPU driver of node %s is being upgraded".formatted(node));
      case Effect.DeleteDriver(PodName pod) -> {
        undeletable.add(pod.uid());
        driver(pod, open).ifPresent(it -> applier.delete(it, Dependents.FOLLOW));
        undeletable.remove(pod.uid());
        deleted.add(pod.uid());
      }
    }
  }

  private static Optional<Pod> driver(PodName pod, UpgradeSources.Open open) {
    return open.drivers()
        .all()
        .get(pod.namespace(), pod.name())
        .filter(it -> it.getMetadata().getUid().equals(pod.uid()));
  }
}
