package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.driver.Adoption;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;

/// Which driver pods have installed what their DaemonSet's newest template would. The DaemonSet
/// controller calls every pod outdated whose template has changed in any way, although a driver is
/// reinstalled only for another digest. Pods are watched only where the two differ.
final class DriverPods implements AutoCloseable {
  private static final String DRIVERS =
      "app.kubernetes.io/component in (nvidia-driver,nvidia-vgpu-host-manager)";

  private final OccasionalCache<Pod> watched;

  /// Watches nothing yet.
  ///
  /// @param changed run when a pod has come, gone or been taken over
  DriverPods(KubernetesClient client, String namespace, Runnable changed) {
    watched =
        new OccasionalCache<>(
            () -> Cache.of(client, Pod.class, options(namespace)), _ -> changed.run());
  }

  void watchWhile(boolean wanted) {
    watched.watchWhile(wanted);
  }

  /// How many pods of a DaemonSet need no reinstallation, as far as is known yet.
  int upToDate(DaemonSet live) {
    Optional<String> wanted = Adoption.digestOf(live);
    return wanted.isEmpty()
        ? 0
        : (int)
            watched.now().stream()
                .flatMap(Cache::stream)
                .filter(pod -> Owners.owns(live, pod))
                .filter(pod -> wanted.equals(Adoption.effectiveDigest(pod)))
                .count();
  }

  @Override
  public void close() {
    watched.close();
  }

  private static CacheOptions<Pod> options(String namespace) {
    return CacheOptions.<Pod>all()
        .inNamespace(namespace)
        .withLabels(DRIVERS)
        .slimmedBy(DriverPods::slim);
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(
            Slim.identity(pod)
                .withOwnerReferences(pod.getMetadata().getOwnerReferences())
                .withAnnotations(
                    Map.of(
                        Adoption.DIGEST,
                        Adoption.effectiveDigest(pod).map(String::intern).orElse("")))
                .build())
        .withNewSpec()
        .endSpec()
        .build();
  }
}
