package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.operator.driver.Adoption;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Which driver pods have installed what their DaemonSet's newest template would. The DaemonSet
/// controller calls every pod outdated whose template has changed in any way, although a driver is
/// reinstalled only for another digest. Pods are watched only where the two differ.
final class DriverPods implements AutoCloseable {
  private static final String DRIVERS =
      "app.kubernetes.io/component in (nvidia-driver,nvidia-vgpu-host-manager)";

  private final KubernetesClient client;
  private final Caches caches;
  private final Runnable changed;
  private final AtomicReference<@Nullable Cache<Pod>> cache = new AtomicReference<>();

  /// Watches nothing yet.
  ///
  /// @param changed run when a pod has come, gone or been taken over
  DriverPods(KubernetesClient client, Caches caches, Runnable changed) {
    this.client = client;
    this.caches = caches;
    this.changed = changed;
  }

  void watchWhile(boolean wanted) {
    if (!wanted) {
      close();
    } else if (cache.get() == null) {
      var started = Cache.of(client, Pod.class, options());
      cache.set(started);
      started.listen(_ -> changed.run());
      started.start();
    }
  }

  /// How many pods of a DaemonSet need no reinstallation, as far as is known yet.
  int upToDate(String daemonSet) {
    Cache<Pod> watched = cache.get();
    Optional<DaemonSet> live = caches.daemonSet(daemonSet);
    Optional<String> wanted =
        live.flatMap(it -> Adoption.digestOf(it.getSpec().getTemplate().getSpec()));
    return watched == null || wanted.isEmpty()
        ? 0
        : (int)
            watched.stream()
                .filter(pod -> Owners.owns(live.orElseThrow(), pod))
                .filter(pod -> wanted.equals(Adoption.effectiveDigest(pod)))
                .count();
  }

  @Override
  public void close() {
    Optional.ofNullable(cache.getAndSet(null)).ifPresent(Cache::close);
  }

  private CacheOptions<Pod> options() {
    return CacheOptions.<Pod>all()
        .inNamespace(caches.namespace())
        .withLabels(DRIVERS)
        .slimmedBy(DriverPods::slim);
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(pod.getMetadata().getName())
        .withNamespace(pod.getMetadata().getNamespace())
        .withUid(pod.getMetadata().getUid())
        .withResourceVersion(pod.getMetadata().getResourceVersion())
        .withOwnerReferences(pod.getMetadata().getOwnerReferences())
        .withAnnotations(
            Map.of(Adoption.DIGEST, Adoption.effectiveDigest(pod).map(String::intern).orElse("")))
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .build();
  }
}
