package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.upgrade.Hold;
import dev.pitcrew.operator.upgrade.PodName;
import dev.pitcrew.operator.upgrade.PreflightPlan;
import dev.pitcrew.operator.upgrade.PreflightPod;
import dev.pitcrew.operator.upgrade.PreflightPod.Pull;
import dev.pitcrew.operator.upgrade.PreflightPool;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Has the images of a new driver pulled on one node of each pool before any of them begins.
///
/// For use by one thread at a time.
final class Preflights {
  private static final Logger log = LoggerFactory.getLogger(Preflights.class);

  private final Cache<Node> nodes;
  private final Applier applier;
  private final Events events;
  private final Set<String> deleted = new HashSet<>();

  /// What the API server said, by the name of the pod.
  private final Map<String, String> refusals = new HashMap<>();

  Preflights(Cache<Node> nodes, Applier applier, Events events) {
    this.nodes = nodes;
    this.applier = applier;
    this.events = events;
  }

  /// What has been pulled, and what is to be.
  static PreflightPlan plan(
      FleetReading reading, List<UpgradeNode> fleet, RolloutSpec rollout, Instant now) {
    if (!rollout.isPreflighted() && reading.sources().preflights().all().isEmpty()) {
      return PreflightPlan.NONE;
    }
    return PreflightPlan.of(
        pools(reading, fleet),
        reading.sources().preflights().stream().map(PreflightReading::read).toList(),
        rollout,
        now);
  }

  /// What could not be pulled, by node, for those who only look: what has not been pulled yet is
  /// taken to succeed.
  static Map<String, Hold> refused(
      FleetReading reading, List<UpgradeNode> fleet, RolloutSpec rollout, Instant now) {
    PreflightPlan plan =
        PreflightPlan.of(
            pools(reading, fleet),
            reading.sources().preflights().stream()
                .map(PreflightReading::read)
                .filter(
                    pod -> pod.pull() instanceof Pull.Refused || pod.pull() instanceof Pull.Done)
                .toList(),
            rollout,
            now);
    Map<String, Hold> refused = new HashMap<>(plan.obstacles());
    plan.starts().stream()
        .flatMap(start -> start.pool().nodes().stream())
        .forEach(node -> refused.remove(node.name()));
    return refused;
  }

  /// Creates and deletes pods, and reports what could not be pulled.
  UpgradeApply.Result carryOut(PreflightPlan plan, FleetReading reading) {
    Cache<Pod> pods = reading.sources().preflights();
    deleted.retainAll(
        pods.stream().map(pod -> pod.getMetadata().getUid()).collect(Collectors.toSet()));
    refusals.keySet().retainAll(plan.starts().stream().map(PreflightPlan.Start::pod).toList());
    plan.starts().forEach(start -> start(start, reading));
    try {
      plan.ends().forEach(pod -> end(pod, pods));
      pods.stream().map(PreflightReading::read).forEach(this::warnIfRefused);
      return refusals.isEmpty() ? UpgradeApply.Result.DONE : UpgradeApply.Result.FAILED;
    } catch (KubeException e) {
      log.warn("pods that pulled driver images cannot be deleted now: {}", e.getMessage());
      return UpgradeApply.Result.FAILED;
    }
  }

  /// The plan that was carried out, with what the API server said to it.
  PreflightPlan explained(PreflightPlan plan) {
    return plan.withRefusals(refusals);
  }

  /// To be called with the cache of such pods before it starts: what came and went is made again
  /// when it is asked for.
  static void follow(Applier applier, Cache<Pod> pods) {
    pods.listen(change -> {
      if (change instanceof Change.Deleted<Pod>) {
        applier.forget(ObjectKey.of(change.latest()));
      }
    });
    pods.listenToLists(
        version -> applier.forgetMissing("Pod", version, key -> pods.get(key).isPresent()));
  }

  private void start(PreflightPlan.Start start, FleetReading reading) {
    DaemonSet daemonSet = reading.daemonSetOf(start.pool().nodes().getFirst().name()).orElseThrow();
    Pod pod = PreflightPods.pod(daemonSet, start.pod(), start.node());
    try {
      switch (applier.apply(pod, Optional.empty())) {
        case ApplyResult.Applied _ -> {
          log.info("pod {} pulls driver images on node {}", start.pod(), start.node());
          refusals.remove(start.pod());
        }
        case ApplyResult.Unchanged _ -> refusals.remove(start.pod()); // and is not seen yet
        case ApplyResult.Refused(String message) -> refused(start, message);
      }
    } catch (KubeException e) {
      refused(start, e.reason());
    }
  }

  /// The first words stay as long as it is refused: others would be written for every node of the
  /// pool, and those of a quota change with each pod of its namespace.
  private void refused(PreflightPlan.Start start, String message) {
    refusals.putIfAbsent(start.pod(), PreflightReading.cut(message));
    warn(
        start.node(),
        "The API server refused pod %s, which would pull driver images: %s"
            .formatted(start.pod(), message));
  }

  private void end(PodName name, Cache<Pod> pods) {
    pods.get(name.namespace(), name.name())
        .filter(pod -> pod.getMetadata().getUid().equals(name.uid()))
        .filter(_ -> deleted.add(name.uid()))
        .ifPresent(pod -> applier.delete(pod, Dependents.FOLLOW));
  }

  private void warnIfRefused(PreflightPod pod) {
    if (pod.pull() instanceof Pull.Refused(String container, String text)) {
      warn(
          pod.node(),
          "The image of container %s cannot be pulled by pod %s: %s"
              .formatted(container, pod.name(), text));
    }
  }

  private void warn(String node, String note) {
    nodes
        .get("", node)
        .ifPresent(it -> events.emit(it, Events.Type.WARNING, RolloutReports.REASON, note));
  }

  private static List<PreflightPool> pools(FleetReading reading, List<UpgradeNode> fleet) {
    Map<String, DaemonSet> daemonSets = new LinkedHashMap<>();
    Map<String, List<UpgradeNode>> members = new HashMap<>();
    for (UpgradeNode node : fleet) {
      reading
          .daemonSetOf(node.name())
          .ifPresent(it -> {
            String name = it.getMetadata().getName();
            daemonSets.putIfAbsent(name, it);
            members.computeIfAbsent(name, _ -> new ArrayList<>()).add(node);
          });
    }
    return daemonSets.entrySet().stream()
        .map(it ->
            new PreflightPool(
                PreflightPods.name(it.getValue()),
                PreflightPods.images(it.getValue()),
                members.getOrDefault(it.getKey(), List.of())))
        .toList();
  }
}
