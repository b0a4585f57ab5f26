package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.operand.Agent;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/// Marks the agent's pods on GPU nodes, which Services select on: the agent is on every node, and
/// where there is no GPU nothing answers Prometheus. Only pods that are not marked yet are watched.
final class AgentPods implements AutoCloseable {
  private static final String UNMARKED = "app=" + Agent.NAME + ",!" + Agent.ON_GPU_NODE;

  private final Applier applier;
  private final Caches caches;
  private final NodeIndex nodes;
  private final Consumer<String> enqueue;
  private final OccasionalCache<Pod> watched;

  /// Watches nothing yet.
  ///
  /// @param enqueue hands a pod to a worker, by its name
  AgentPods(
      KubernetesClient client,
      Applier applier,
      Caches caches,
      NodeIndex nodes,
      Consumer<String> enqueue) {
    this.applier = applier;
    this.caches = caches;
    this.nodes = nodes;
    this.enqueue = enqueue;
    watched =
        new OccasionalCache<>(
            () -> Cache.of(client, Pod.class, options(caches.namespace())), this::changed);
  }

  /// Watches pods as long as a Service selects on the mark.
  void watchWhile(boolean acting) {
    watched.watchWhile(acting && caches.services().stream().anyMatch(Agent::isFoundBy));
  }

  /// A node may have got its GPU, or the labels that tell of it, after its agent.
  void nodeChanged(String node) {
    if (nodes.hasGpu(node)) {
      watched.now().stream()
          .flatMap(Cache::stream)
          .filter(pod -> node.equals(pod.getSpec().getNodeName()))
          .forEach(pod -> enqueue.accept(pod.getMetadata().getName()));
    }
  }

  Outcome reconcile(String name) {
    return watched
        .now()
        .flatMap(pods -> pods.get(caches.namespace(), name))
        .filter(pod -> nodes.hasGpu(Objects.requireNonNullElse(pod.getSpec().getNodeName(), "")))
        .map(this::mark)
        .orElseGet(Outcome::done);
  }

  @Override
  public void close() {
    watched.close();
  }

  private static CacheOptions<Pod> options(String namespace) {
    return CacheOptions.<Pod>all()
        .inNamespace(namespace)
        .withLabels(UNMARKED)
        .slimmedBy(AgentPods::slim);
  }

  private void changed(Change<Pod> change) {
    if (!(change instanceof Change.Deleted<Pod>)) {
      enqueue.accept(change.latest().getMetadata().getName());
    }
  }

  private Outcome mark(Pod pod) {
    return switch (applier.patchMetadata(pod, Map.of(Agent.ON_GPU_NODE, "true"), Map.of())) {
      case ApplyResult.Applied _, ApplyResult.Unchanged _ -> Outcome.done();
      case ApplyResult.Refused(String message) -> Outcome.wait(ObjectApply.RETRY_REFUSED, message);
    };
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(Slim.identity(pod).build())
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .endSpec()
        .build();
  }
}
