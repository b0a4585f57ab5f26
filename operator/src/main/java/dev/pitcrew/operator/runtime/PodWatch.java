package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.policy.PodCause;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Optional;

/// Why pods of operands are not ready. Pods are watched only while something is not ready, and only
/// those that are not are kept: a cluster of thousands of nodes has tens of thousands of them.
final class PodWatch implements AutoCloseable {
  private final OccasionalCache<Pod> watched;

  /// Watches nothing yet.
  ///
  /// @param changed run when a cause may have changed
  PodWatch(KubernetesClient client, String namespace, Runnable changed) {
    watched =
        new OccasionalCache<>(
            () -> Cache.of(client, Pod.class, options(namespace)), _ -> changed.run());
  }

  /// Watches as long as something is not ready.
  void watchWhile(boolean notReady) {
    watched.watchWhile(notReady);
  }

  /// What holds up the pods of a DaemonSet, as far as it is known yet.
  Optional<PodCause> cause(String daemonSet) {
    return PodCause.worst(
        watched.now().stream().flatMap(Cache::stream).filter(pod -> isOf(daemonSet, pod)));
  }

  @Override
  public void close() {
    watched.close();
  }

  private static CacheOptions<Pod> options(String namespace) {
    return CacheOptions.<Pod>all()
        .inNamespace(namespace)
        .slimmedBy(PodWatch::slim)
        .keeping(pod -> !PodCause.isReady(pod));
  }

  private static boolean isOf(String daemonSet, Pod pod) {
    return pod.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> isDaemonSet(owner) && owner.getName().equals(daemonSet));
  }

  /// Pods that only go with it, such as those that pull its images beforehand, are none of its own.
  private static boolean isDaemonSet(OwnerReference owner) {
    return owner.getKind().equals("DaemonSet") && Boolean.TRUE.equals(owner.getController());
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(
            Slim.identity(pod).withOwnerReferences(pod.getMetadata().getOwnerReferences()).build())
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .endSpec()
        .withStatus(PodCause.slim(pod.getStatus()))
        .build();
  }
}
