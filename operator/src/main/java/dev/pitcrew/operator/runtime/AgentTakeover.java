package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.AgentFunctions;
import dev.pitcrew.operator.policy.AgentInForce;
import dev.pitcrew.operator.policy.HandOver;
import dev.pitcrew.operator.policy.SteadyCount;
import dev.pitcrew.operator.policy.TakeoverPlan;
import dev.pitcrew.operator.policy.TakeoverSituation;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Gathers what a [TakeoverPlan] is made from.
///
/// A GPUNode counts if the pod that has written it is ready on that node. One of a pod that is gone
/// is what an agent has reported before it was switched off. A ready pod elsewhere says nothing:
/// its image may be of another architecture, its driver may not answer.
///
/// For use by one thread at a time. GPUNodes and pods are watched only while a change between
/// operands and agents begins.
final class AgentTakeover implements AutoCloseable {
  private static final String PODS = "app=" + Agent.NAME;

  private final Caches caches;
  private final GpuNodes gpuNodes;
  private final GpuNodes.Reader reader;
  private final OccasionalCache<Pod> pods;
  private final Runnable changed;
  private final InstantSource clock;
  private final Map<String, SteadyCount> ready = new HashMap<>();
  private final Set<String> counted = new HashSet<>();

  /// Watches nothing yet.
  ///
  /// @param changed run, perhaps often, when a plan may be another one
  AgentTakeover(
      KubernetesClient client,
      Caches caches,
      GpuNodes gpuNodes,
      Runnable changed,
      InstantSource clock) {
    this.clock = clock;
    this.caches = caches;
    this.gpuNodes = gpuNodes;
    this.changed = changed;
    this.reader = gpuNodes.reader(AgentTakeover::word, _ -> changed.run(), changed);
    this.pods =
        new OccasionalCache<>(
            () -> Cache.of(client, Pod.class, options(caches.namespace())), _ -> changed.run());
  }

  private static Object word(GpuNodeStatus node) {
    return List.of(Optional.ofNullable(node.agent().pod()), AgentFunctions.provided(node));
  }

  private static CacheOptions<Pod> options(String namespace) {
    return CacheOptions.<Pod>all()
        .inNamespace(namespace)
        .withLabels(PODS)
        .slimmedBy(AgentTakeover::slim);
  }

  TakeoverPlan plan(ClusterPolicySpec spec) {
    TakeoverSituation situation = situation(spec);
    boolean isAsked = situation.asksAgents();
    reader.watchWhile(isAsked);
    pods.watchWhile(isAsked);
    counted.clear();
    TakeoverPlan plan = TakeoverPlan.of(situation);
    ready.keySet().retainAll(counted);
    if ((isAsked && !situation.isKnown())
        || ready.values().stream().anyMatch(SteadyCount::isRising)) {
      changed.run();
    }
    return plan;
  }

  private int ready(DaemonSet daemonSet) {
    int now =
        Optional.ofNullable(daemonSet.getStatus())
            .map(status -> Objects.requireNonNullElse(status.getNumberReady(), 0))
            .orElse(0);
    counted.add(daemonSet.getMetadata().getName());
    return ready
        .computeIfAbsent(daemonSet.getMetadata().getName(), _ -> new SteadyCount())
        .take(now, clock.instant());
  }

  private TakeoverSituation situation(ClusterPolicySpec spec) {
    AgentSpec wanted = caches.agent();
    Map<String, String> nodesOfReadyPods = nodesOfReadyPods();
    Set<String> nodesOfPods = nodesOfPods();
    return new TakeoverSituation(
        wanted,
        AgentInForce.placement(wanted),
        spec,
        caches.daemonSet(Agent.NAME),
        caches.daemonSets().stream().filter(it -> !HandOver.isDeleted(it)).toList(),
        caches.nodes().all(),
        Readiness::isNodeReady,
        node -> provided(node, nodesOfReadyPods),
        gpuNodes.isSynced() && pods.now().filter(Cache::isSynced).isPresent(),
        node -> nodesOfPods.contains(node.getMetadata().getName()),
        this::ready);
  }

  private Set<String> nodesOfPods() {
    return pods.now().stream()
        .flatMap(Cache::stream)
        .map(pod -> Objects.requireNonNullElse(pod.getSpec().getNodeName(), ""))
        .collect(Collectors.toUnmodifiableSet());
  }

  /// By the names of the pods.
  private Map<String, String> nodesOfReadyPods() {
    return pods.now().stream()
        .flatMap(Cache::stream)
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(Readiness::isPodReady)
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .collect(
            Collectors.toUnmodifiableMap(
                pod -> pod.getMetadata().getName(), pod -> pod.getSpec().getNodeName()));
  }

  private Set<AgentFunction> provided(Node node, Map<String, String> nodesOfReadyPods) {
    String name = node.getMetadata().getName();
    return gpuNodes
        .of(name, node.getMetadata().getUid())
        .filter(it ->
            name.equals(nodesOfReadyPods.get(Objects.requireNonNullElse(it.agent().pod(), ""))))
        .map(AgentFunctions::provided)
        .orElse(Set.of());
  }

  @Override
  public void close() {
    pods.close();
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(Slim.identity(pod).build())
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .endSpec()
        .withNewStatus()
        .withConditions(
            pod.getStatus().getConditions().stream()
                .filter(it -> it.getType().equals("Ready"))
                .toList())
        .endStatus()
        .build();
  }
}
