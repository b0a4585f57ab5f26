package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.cluster.ClusterFacts.Agents;
import dev.pitcrew.operator.operand.Agent;
import dev.pitcrew.operator.policy.AgentFunctions;
import dev.pitcrew.operator.policy.AgentInForce;
import dev.pitcrew.operator.policy.HandOver;
import dev.pitcrew.operator.render.FunctionsInForce;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// Whether the node agents do the work of the operands that they replace, so that those can go.
///
/// An operand goes when, on each ready node that its DaemonSet selects, a pod of the agent is ready
/// and the GPUNode says that the agent serves the node. A pod of the agent that is ready elsewhere
/// says nothing of that node: its image may be of another architecture, its driver may not answer.
/// Nor does a GPUNode without such a pod: it is what an agent has said before it was switched off.
/// The two do the same until then, which takes memory and nothing else: the kubelet listens to the
/// device plugin that registered last.
///
/// GPUNodes and pods are watched for it only while such a DaemonSet is there.
final class AgentTakeover implements AutoCloseable {
  private static final String PODS = "app=" + Agent.NAME;

  private final Caches caches;
  private final GpuNodes gpuNodes;
  private final GpuNodes.Reader reader;
  private final OccasionalCache<Pod> pods;

  /// Watches nothing yet.
  ///
  /// @param changed run when an agent begins or ceases to serve its node
  AgentTakeover(KubernetesClient client, Caches caches, GpuNodes gpuNodes, Runnable changed) {
    this.caches = caches;
    this.gpuNodes = gpuNodes;
    this.reader = gpuNodes.reader(AgentInForce::isServing, _ -> changed.run(), changed);
    this.pods =
        new OccasionalCache<>(
            () -> Cache.of(client, Pod.class, options(caches.namespace())), _ -> changed.run());
  }

  private static CacheOptions<Pod> options(String namespace) {
    return CacheOptions.<Pod>all()
        .inNamespace(namespace)
        .withLabels(PODS)
        .slimmedBy(AgentTakeover::slim);
  }

  Agents agents(ClusterPolicySpec spec) {
    boolean isRunning = caches.daemonSet(Agent.NAME).filter(AgentInForce::isRunning).isPresent();
    List<DaemonSet> replaced = isRunning ? replaced(spec) : List.of();
    reader.watchWhile(!replaced.isEmpty());
    pods.watchWhile(!replaced.isEmpty());
    if (!isRunning) {
      return Agents.NONE;
    }
    if (replaced.isEmpty()) {
      return Agents.AT_WORK;
    }
    Set<String> running = nodesOfReadyPods();
    var awaited = new TreeSet<String>();
    caches.nodes().stream()
        .filter(Readiness::isNodeReady)
        .filter(selectedByAny(replaced))
        .filter(node -> !running.contains(node.getMetadata().getName()) || !isServed(node))
        .forEach(node -> awaited.add(node.getMetadata().getName()));
    return awaited.isEmpty() ? Agents.AT_WORK : Agents.awaitedOn(awaited);
  }

  /// Those that are there, and not on their way out.
  private List<DaemonSet> replaced(ClusterPolicySpec spec) {
    Set<String> names =
        AgentFunctions.replacedDaemonSets(FunctionsInForce.of(caches.agent(), spec));
    return caches.daemonSets().stream()
        .filter(it -> names.contains(it.getMetadata().getName()) && !HandOver.isDeleted(it))
        .toList();
  }

  private static Predicate<Node> selectedByAny(List<DaemonSet> daemonSets) {
    Set<Map<String, String>> selectors =
        daemonSets.stream()
            .map(it -> it.getSpec().getTemplate().getSpec().getNodeSelector())
            .map(it -> Objects.requireNonNullElse(it, Map.<String, String>of()))
            .collect(Collectors.toUnmodifiableSet());
    return node -> {
      Map<String, String> labels =
          Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
      return selectors.stream().anyMatch(selector -> LabelSelector.matches(selector, labels));
    };
  }

  private Set<String> nodesOfReadyPods() {
    return pods.now().stream()
        .flatMap(Cache::stream)
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(Readiness::isPodReady)
        .flatMap(pod -> Optional.ofNullable(pod.getSpec().getNodeName()).stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean isServed(Node node) {
    return gpuNodes
        .of(node.getMetadata().getName(), node.getMetadata().getUid())
        .filter(AgentInForce::isServing)
        .isPresent();
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
