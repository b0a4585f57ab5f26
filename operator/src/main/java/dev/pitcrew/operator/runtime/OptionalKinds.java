package dev.pitcrew.operator.runtime;

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
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts to watch a kind when its definition appears and stops when it goes; a cluster without the
/// Prometheus operator or OpenShift is asked nothing.
final class OptionalKinds {
  private static final Logger log = LoggerFactory.getLogger(OptionalKinds.class);
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(30);
  private static final List<ResourceDefinitionContext> KINDS =
      List.of(Kinds.SERVICE_MONITOR, Kinds.PROMETHEUS_RULE, Kinds.CONSTRAINT);

  private final KubernetesClient client;
  private final Caches caches;
  private final OpenShiftCaches openShift;
  private final String namespace;
  private final Consumer<Cache<GenericKubernetesResource>> added;
  private final Consumer<String> removed;
  private final Map<String, Boolean> present = new ConcurrentHashMap<>();

  /// @param added run with each new cache before it starts
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
        && present.put(definition, true) == null) {
      inBackground("openshift", openShift::start);
    }
  }

  private void setPresent(ResourceDefinitionContext kind, boolean exists) {
    Boolean before = present.put(kind.getKind(), exists);
    if (exists && !Boolean.TRUE.equals(before)) {
      inBackground(kind.getKind(), () -> watch(kind));
    }
    if (!exists) {
      caches.removeOwned(kind.getKind());
      removed.accept(kind.getKind());
    }
  }

  /// The kind counts as served once its objects are known, so that nothing is applied over an
  /// object not yet seen.
  private void watch(ResourceDefinitionContext kind) throws InterruptedException {
    CacheOptions<GenericKubernetesResource> options =
        kind.isNamespaceScoped()
            ? CacheOptions.<GenericKubernetesResource>all().inNamespace(namespace)
            : CacheOptions.<GenericKubernetesResource>all().keeping(Owners::isOwnedByPolicy);
    var cache = Cache.ofGeneric(client, kind, options).start();
    while (cache.isAbsent() || !cache.awaitSync(SYNC_LIMIT)) {
      log.info("{} is defined but not served yet", kind.getKind());
      cache.refresh();
      Thread.sleep(Duration.ofMillis(200));
    }
    caches.addOwned(kind.getKind(), cache);
    added.accept(cache);
  }

  @FunctionalInterface
  private interface Work {
    void run() throws InterruptedException;
  }

  private static void inBackground(String name, Work work) {
    Thread.ofVirtual()
        .name("watch-" + name)
        .start(() -> {
          try {
            work.run();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }
}
