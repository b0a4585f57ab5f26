package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.operator.operand.dra.DraSlicePolicy;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Starts to watch a kind when its definition appears and stops when it goes; a cluster without the
/// Prometheus operator or OpenShift is asked nothing. The same goes for the kinds that only a
/// GPUCluster owns objects of.
final class OptionalKinds {
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(30);
  private static final Backoff UNSERVED =
      new Backoff(Duration.ofMillis(200), Duration.ofSeconds(30));
  private static final List<ResourceDefinitionContext> KINDS =
      List.of(Kinds.SERVICE_MONITOR, Kinds.PROMETHEUS_RULE, Kinds.CONSTRAINT);
  private static final List<ResourceDefinitionContext> OF_GPU_CLUSTERS =
      List.of(
          Kinds.DEVICE_CLASS,
          Kinds.CLAIM_TEMPLATE,
          Kinds.DEPLOYMENT,
          Kinds.ADMISSION_POLICY,
          Kinds.ADMISSION_POLICY_BINDING);

  private final KubernetesClient client;
  private final Caches caches;
  private final OpenShiftCaches openShift;
  private final String namespace;
  private final Consumer<Cache<GenericKubernetesResource>> added;
  private final Consumer<String> removed;
  private final Runnable isUnserved;
  private final ReentrantLock coming = new ReentrantLock();
  private final Map<String, Appearance> present = new ConcurrentHashMap<>();
  private final Set<String> unserved = ConcurrentHashMap.newKeySet();

  /// One time between the coming and the going of a definition.
  private static final class Appearance {}

  /// @param added run with each new cache once its objects are known
  /// @param removed run with each kind that has gone, whose objects went without an event
  /// @param isUnserved run when the API server has answered that it does not serve a kind
  OptionalKinds(
      KubernetesClient client,
      Caches caches,
      OpenShiftCaches openShift,
      String namespace,
      Consumer<Cache<GenericKubernetesResource>> added,
      Consumer<String> removed,
      Runnable isUnserved) {
    this.isUnserved = isUnserved;
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

  /// Takes in whether there is a GPUCluster.
  void gpuClusterExists(boolean exists) {
    OF_GPU_CLUSTERS.forEach(kind -> setPresent(kind, exists));
  }

  /// Kinds of objects of a GPUCluster that the API server has not listed yet.
  List<String> unlistedForGpuClusters() {
    return OF_GPU_CLUSTERS.stream()
        .map(ResourceDefinitionContext::getKind)
        .filter(Predicate.not(caches::watches))
        .toList();
  }

  /// Whether the API server has answered that it does not serve a kind that is to be watched.
  boolean isUnserved(ResourceDefinitionContext kind) {
    return unserved.contains(kind.getKind());
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
      if (present.remove(kind.getKind()) != null) {
        unserved.remove(kind.getKind());
        caches.removeOwned(kind.getKind());
        removed.accept(kind.getKind());
      }
    } finally {
      coming.unlock();
    }
  }

  /// The kind counts as served once its objects are known, so that nothing is applied over an
  /// object not yet seen.
  private void watch(ResourceDefinitionContext kind, Appearance appearance) {
    var cache = Cache.ofGeneric(client, kind, options(kind)).start();
    try {
      boolean served = isServed(kind, cache, () -> present.get(kind.getKind()) == appearance);
      if (!served || !add(kind, appearance, cache)) {
        cache.close();
      }
    } catch (InterruptedException e) {
      cache.close();
      Thread.currentThread().interrupt();
    }
  }

  /// Of admission policies, the operator's account may see the one that it brings.
  private CacheOptions<GenericKubernetesResource> options(ResourceDefinitionContext kind) {
    CacheOptions<GenericKubernetesResource> all = CacheOptions.all();
    if (kind.getGroup().equals(Kinds.ADMISSION_POLICY.getGroup())) {
      return all.withFields("metadata.name=" + DraSlicePolicy.NAME).keeping(Owners::isOurs);
    }
    return kind.isNamespaceScoped() ? all.inNamespace(namespace) : all.keeping(Owners::isOurs);
  }

  /// Waits until the kind is served, which takes the API server a moment after its definition has
  /// come, for as long as the definition stays.
  private boolean isServed(
      ResourceDefinitionContext kind,
      Cache<GenericKubernetesResource> cache,
      BooleanSupplier isDefined)
      throws InterruptedException {
    for (int attempt = 1; isDefined.getAsBoolean(); attempt++) {
      if (cache.awaitSync(SYNC_LIMIT)) {
        if (!cache.isAbsent()) {
          return true;
        }
        if (unserved.add(kind.getKind())) {
          isUnserved.run();
        }
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
      unserved.remove(kind.getKind());
      caches.addOwned(kind.getKind(), cache);
      added.accept(cache);
      return true;
    } finally {
      coming.unlock();
    }
  }
}
