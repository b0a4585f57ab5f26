package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/// The pods of those nodes that are being emptied, each by a watch of its own that lasts as long as
/// a pod has to leave: a watch of all pods of a large cluster would cost more than all else that
/// the operator does.
final class PodsOfNodes implements AutoCloseable {
  /// Those of drivers are watched already, and no eviction moves them.
  private static final String NO_DRIVER = "app.kubernetes.io/component!=nvidia-driver";

  private final KubernetesClient client;
  private final Consumer<String> changed;
  private final Map<String, Cache<Pod>> watched = new ConcurrentHashMap<>();

  /// @param changed called with the node whose pods have changed
  PodsOfNodes(KubernetesClient client, Consumer<String> changed) {
    this.client = client;
    this.changed = changed;
  }

  /// Watches the pods of these nodes and of no other.
  void watchOnly(Set<String> nodes) {
    List.copyOf(watched.keySet()).stream()
        .filter(node -> !nodes.contains(node))
        .forEach(node -> Optional.ofNullable(watched.remove(node)).ifPresent(Cache::close));
    nodes.forEach(node -> watched.computeIfAbsent(node, this::start));
  }

  /// The pods of a node that have not ended; empty while they are not known.
  Optional<Collection<Pod>> of(String node) {
    return Optional.ofNullable(watched.get(node)).filter(Cache::isSynced).map(Cache::all);
  }

  /// One of them, as it is now.
  Optional<Pod> find(String node, String namespace, String name) {
    return Optional.ofNullable(watched.get(node)).flatMap(pods -> pods.get(namespace, name));
  }

  @Override
  public void close() {
    watchOnly(Set.of());
  }

  private Cache<Pod> start(String node) {
    var cache =
        Cache.of(
            client,
            Pod.class,
            CacheOptions.<Pod>all()
                .withLabels(NO_DRIVER)
                .withFields(
                    "spec.nodeName=" + node + ",status.phase!=Succeeded,status.phase!=Failed")
                .slimmedBy(SlimPods::workload));
    cache.listen(_ -> changed.accept(node));
    cache.listenToLists(_ -> changed.accept(node));
    return cache.start();
  }
}
