package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// Starts to watch a kind when its definition appears and stops when it goes; a cluster without the
/// Prometheus operator or OpenShift is asked nothing.
final class OptionalKinds {
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(30);
  private static final Backoff UNSERVED =
      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));
  private static final List<ResourceDefinitionContext> KINDS =
      List.of(Kinds.SERVICE_MONITOR, Kinds.PROMETHEUS_RULE, Kinds.CONSTRAINT);

  private final KubernetesClient client;
  private final Caches caches;
  private final OpenShiftCaches openShift;
  private final String namespace;
  private final Consumer<Cache<GenericKubernetesResource>> added;
  private final Consumer<String> removed;
  private final ReentrantLock coming = new ReentrantLock();
  private final Map<String, Appearance> present = new ConcurrentHashMap<>();

  /// One time between the coming and the going of a definition.
  private static final class Appearance {}

  /// @param added run with each new cache once its objects are known
  /// @param removed run with each kind that has gone, whose objects went unheard with it
  OptionalKinds(
      KubernetesClient client,
      Caches caches,
      OpenShiftCaches openShift,
      String namespace,
      Consumer<Cache<GenericKubernetesResource>> added,
      Consumer<String> removed) {
    this.client = client;
    this.caches = caches;
    this.openShift = openShift;
    this.namespace = namespace;
    this.added = added;
    this.removed = removed;
  }

  void definitionChanged(Change<GenericKubernetesResource> change) {
    String definition = change.latest().getMetadata().getName();
    boolean exists = !(change instanceof Change.Deleted<GenericKubernetesResource>);
    KINDS.stream()
        .filter(kind -> Kinds.definition(kind).equals(definition))
        .forEach(kind -> setPresent(kind, exists));
    if (exists
        && definition.equals(Kinds.definition(Kinds.CLUSTER_VERSION))
        && present.put(definition, new Appearance()) == null) {
      openShift.start();
    }
  }

  private void setPresent(ResourceDefinitionContext kind, boolean exists) {
    if (exists) {
      var appearance = new Appearance();
      if (present.putIfAbsent(kind.getKind(), appearance) == null) {
        Thread.ofVirtual().name("watch-" + kind.getKind()).start(() -> watch(kind, appearance));
      }
      return;
    }
    coming.lock();
    try {
      present.remove(kind.getKind());
      caches.removeOwned(kind.getKind());
      removed.accept(kind.getKind());
    } finally {
      coming.unlock();
    }
  }

  /// The kind counts as served once its objects are known, so that nothing is applied over an
  /// object not yet seen.
  private void watch(ResourceDefinitionContext kind, Appearance appearance) {
    CacheOptions<GenericKubernetesResource> options =
        kind.isNamespaceScoped()
            ? CacheOptions.<GenericKubernetesResource>all().inNamespace(namespace)
            : CacheOptions.<GenericKubernetesResource>all().keeping(Owners::isOurs);
    var cache = Cache.ofGeneric(client, kind, options).start();
    try {
      boolean served = isServed(cache, () -> present.get(kind.getKind()) == appearance);
      if (!served || !add(kind, appearance, cache)) {
        cache.close();
      }
    } catch (InterruptedException e) {
      cache.close();
      Thread.currentThread().interrupt();
    }
  }

  /// Waits until the kind is served, which takes the API server a moment after its definition has
  /// come, for as long as the definition stays.
  private static boolean isServed(Cache<GenericKubernetesResource> cache, BooleanSupplier isDefined)
      throws InterruptedException {
    for (int attempt = 1; isDefined.getAsBoolean(); attempt++) {
      if (cache.awaitSync(SYNC_LIMIT) && !cache.isAbsent()) {
        return true;
      }
      Thread.sleep(UNSERVED.delay(attempt, ThreadLocalRandom.current()));
      cache.refresh();
    }
    return false;
  }

  private boolean add(
      ResourceDefinitionContext kind,
      Appearance appearance,
      Cache<GenericKubernetesResource> cache) {
    coming.lock();
    try {
      if (present.get(kind.getKind()) != appearance) {
        return false;
      }
      caches.addOwned(kind.getKind(), cache);
      added.accept(cache);
      return true;
    } finally {
      coming.unlock();
    }
  }
}
