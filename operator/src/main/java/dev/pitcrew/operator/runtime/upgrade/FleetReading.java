package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.runtime.rollback.Rejections;
import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.NodePod;
import dev.pitcrew.operator.upgrade.Readiness;
import dev.pitcrew.operator.upgrade.Rollback;
import dev.pitcrew.operator.upgrade.UpgradeMarks;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeScope;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Validation;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Reads what is watched into the records that a plan is made of.
///
/// @param nodes those that are read, by name
/// @param drivers their driver pods by node
/// @param validators NVIDIA's validator pods by node; empty if they are not run, and the agent's
///   report counts
/// @param daemonSets those that driver pods are of, by uid
/// @param wanted what each of them asks for, and what is noted on it, by uid
/// @param deleted uids of driver pods that were deleted and do not show it yet
/// @param readings what nodes were read to be before
record FleetReading(
    UpgradeSources.Open sources,
    Map<String, Node> nodes,
    Map<String, Pod> drivers,
    Optional<Map<String, List<Pod>>> validators,
    Map<String, DaemonSet> daemonSets,
    Map<String, String> wanted,
    Set<String> deleted,
    Readings readings) {
  private static final String COMPONENT = "app.kubernetes.io/component";
  private static final String DRIVER = "nvidia-driver";
  private static final String VALIDATOR = "nvidia-operator-validator";
  static final String DEPLOYED = NodeLabels.DEPLOY_PREFIX + "driver";

  static FleetReading of(
      UpgradeSources.Open sources,
      Map<String, Node> nodes,
      Cache<DaemonSet> all,
      Set<String> deleted,
      Readings readings) {
    Map<String, DaemonSet> daemonSets =
        all.stream()
            .filter(it ->
                DRIVER.equals(it.getSpec().getTemplate().getMetadata().getLabels().get(COMPONENT)))
            .collect(Collectors.toMap(it -> it.getMetadata().getUid(), Function.identity()));
    boolean validatorPods =
        all.stream().anyMatch(it -> it.getMetadata().getName().equals(VALIDATOR));
    var drivers = new HashMap<String, Pod>();
    nodes.keySet().stream()
        .flatMap(node -> sources.drivers().byNode().get(node).stream())
        .filter(pod -> daemonSet(pod, daemonSets).isPresent())
        .forEach(pod -> drivers.merge(pod.getSpec().getNodeName(), pod, FleetReading::newer));
    Optional<Map<String, List<Pod>>> validators =
        validatorPods
            ? Optional.of(
                nodes.keySet().stream()
                    .collect(
                        Collectors.toMap(Function.identity(), sources.validators().byNode()::get)))
            : Optional.empty();
    var wanted = new HashMap<String, String>();
    daemonSets.forEach((uid, daemonSet) -> wanted.put(uid, uid + wanted(daemonSet)));
    return new FleetReading(
        sources, nodes, drivers, validators, daemonSets, wanted, deleted, readings);
  }

  /// The nodes of a scope that no other scope has.
  ///
  /// @param seen names of nodes that another scope has; those of this one are added
  List<UpgradeNode> members(UpgradeScope scope, Set<String> seen, NodePodReading pods) {
    return nodes.values().stream()
        .filter(node -> isMember(scope, node))
        .filter(node -> seen.add(node.getMetadata().getName()))
        .map(node -> read(node, pods))
        .toList();
  }

  /// One node, read again, if the scope has it.
  Optional<UpgradeNode> member(UpgradeScope scope, String name, NodePodReading pods) {
    return Optional.of(node(name))
        .filter(node -> isMember(scope, node))
        .map(node -> fresh(node, pods));
  }

  private boolean isMember(UpgradeScope scope, Node node) {
    return isManaged(node) && scope.includes(node.getMetadata().getLabels());
  }

  /// Whether a node is being worked on, by its label.
  static boolean isUnderWay(Node node) {
    return UpgradeState.of(labels(node).get(NodeLabels.UPGRADE_STATE)).isUnderWay();
  }

  /// Whether a node has a driver of ours, or is to get one back.
  private boolean isManaged(Node node) {
    return labels(node).getOrDefault(DEPLOYED, "").equals("true")
        && (drivers.containsKey(node.getMetadata().getName()) || isMarked(node));
  }

  /// Whether an upgrade left anything on a node.
  static boolean isMarked(Node node) {
    return labels(node).containsKey(NodeLabels.UPGRADE_STATE)
        || UpgradeMarks.of(annotations(node)).cordoned();
  }

  /// Whether a GPUNode says where its node stands in a roll-out.
  static boolean isReported(GpuNodeStatus status) {
    return !status.rollout().equals(RolloutStatus.ABSENT);
  }

  /// Whether an upgrade left anything on a node, or in its GPUNode.
  boolean isTouched(Node node) {
    return isMarked(node)
        || sources
            .reports()
            .of(node.getMetadata().getName())
            .filter(FleetReading::isReported)
            .isPresent();
  }

  /// @throws NullPointerException where there is none of this name
  Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  UpgradeNode read(Node node, NodePodReading pods) {
    String name = node.getMetadata().getName();
    return sources.nodePods().of(name).isPresent()
        ? fresh(node, pods)
        : readings.read(origin(node), () -> fresh(node, pods));
  }

  private Readings.Origin origin(Node node) {
    String name = node.getMetadata().getName();
    Optional<Pod> pod = Optional.ofNullable(drivers.get(name));
    return new Readings.Origin(
        node,
        pod,
        pod.flatMap(it -> daemonSet(it, daemonSets))
            .map(it -> wanted.get(it.getMetadata().getUid()))
            .orElse(""),
        pod.filter(it -> deleted.contains(it.getMetadata().getUid())).isPresent(),
        validators.map(byNode -> byNode.getOrDefault(name, List.of())).orElse(List.of()),
        sources.reports().of(name));
  }

  private UpgradeNode fresh(Node node, NodePodReading pods) {
    String name = node.getMetadata().getName();
    Map<String, String> labels = labels(node);
    Optional<Pod> pod = Optional.ofNullable(drivers.get(name));
    Optional<String> waits =
        Optional.ofNullable(annotations(node).get(NodeLabels.DRIVER_MANAGER_WAITS));
    return new UpgradeNode(
        name,
        labels,
        UpgradeState.of(labels.get(NodeLabels.UPGRADE_STATE)),
        UpgradeMarks.of(annotations(node)),
        Boolean.TRUE.equals(node.getSpec().getUnschedulable()),
        readiness(node),
        pod.map(it -> driver(it, waits)),
        sources.nodePods().of(name).map(all -> all.stream().map(pods::read).toList()),
        validation(name, pod),
        Validations.unhealthyReason(sources.reports().of(name), pod),
        pods.asked().isAsked(name));
  }

  /// Uids of the pods of a node that are known.
  static List<String> uids(UpgradeNode node) {
    return node.pods().stream()
        .flatMap(List::stream)
        .map(NodePod::name)
        .map(it -> it.uid())
        .toList();
  }

  /// The DaemonSet that the driver pod of a node is of.
  Optional<DaemonSet> daemonSetOf(String node) {
    return Optional.ofNullable(drivers.get(node)).flatMap(pod -> daemonSet(pod, daemonSets));
  }

  /// The driver pod of a node; the newer one where there are two.
  Optional<Pod> driverPodOf(String node) {
    return Optional.ofNullable(drivers.get(node));
  }

  private static String wanted(DaemonSet daemonSet) {
    return Adoption.digestOf(daemonSet).orElse("")
        + Rejections.noted(daemonSet).map(Rollback::text).orElse("");
  }

  private DriverPod driver(Pod pod, Optional<String> waits) {
    return DriverPodReading.read(
        pod,
        daemonSet(pod, daemonSets).orElseThrow(),
        deleted.contains(pod.getMetadata().getUid()),
        waits);
  }

  private Validation validation(String node, Optional<Pod> driverPod) {
    return validators
        .map(byNode -> Validations.byPods(byNode.getOrDefault(node, List.of())))
        .orElseGet(() -> Validations.byAgent(sources.reports().of(node), driverPod));
  }

  private static Optional<DaemonSet> daemonSet(Pod pod, Map<String, DaemonSet> daemonSets) {
    return Objects.requireNonNullElse(
            pod.getMetadata().getOwnerReferences(), List.<OwnerReference>of())
        .stream()
        .findFirst()
        .flatMap(owner -> Optional.ofNullable(daemonSets.get(owner.getUid())));
  }

  /// Of two on one node the older one is on its way out.
  private static Pod newer(Pod one, Pod other) {
    return one.getMetadata()
                .getCreationTimestamp()
                .compareTo(other.getMetadata().getCreationTimestamp())
            < 0
        ? other
        : one;
  }

  private static Readiness readiness(Node node) {
    return Optional.ofNullable(node.getStatus()).stream()
        .map(NodeStatus::getConditions)
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .filter(it -> "Ready".equals(it.getType()))
        .findFirst()
        .map(FleetReading::readiness)
        .orElseGet(() -> Readiness.notReady(true, "", Optional.empty()));
  }

  private static Readiness readiness(NodeCondition condition) {
    Optional<Instant> since = Validations.instant(condition.getLastTransitionTime());
    return "True".equals(condition.getStatus())
        ? Readiness.ready(since)
        : Readiness.notReady(
            !"False".equals(condition.getStatus()),
            Objects.requireNonNullElse(condition.getReason(), ""),
            since);
  }

  private static Map<String, String> labels(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }

  private static Map<String, String> annotations(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getAnnotations(), Map.of());
  }
}
