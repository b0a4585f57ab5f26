package dev.pitcrew.kube.cache;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.cache.Store.Place;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The objects of one kind, read from memory. Nothing is asked of the API server before [#start].
///
/// The objects are shared: callers must not change them.
public final class Cache<T extends HasMetadata> implements AutoCloseable {

  private final String kind;
  private final Store<T> store;
  private final Status status = new Status();
  private final Feed<T> feed;
  private final Thread thread;

  private Cache(
      String kind,
      FilterWatchListDeletable<T, ? extends KubernetesResourceList<T>, ?> operation,
      CacheOptions<T> options) {
    this.kind = kind;
    store = new Store<>(options);
    feed = new Feed<>(kind, new Source<>(operation, options), store, status);
    thread = Thread.ofVirtual().name("cache-" + kind).unstarted(feed::run);
  }

  public static <T extends HasMetadata> Cache<T> of(
      KubernetesClient client, Class<T> type, CacheOptions<T> options) {
    client.getKubernetesSerialization().registerKubernetesResource(type); // events name the kind
    return new Cache<>(
        HasMetadata.getKind(type), scoped(client.resources(type), options.namespace()), options);
  }

  /// For kinds without a class of their own, such as those of other projects' CRDs. The kind need
  /// not be served yet: see [#isAbsent].
  public static Cache<GenericKubernetesResource> ofGeneric(
      KubernetesClient client,
      ResourceDefinitionContext kind,
      CacheOptions<GenericKubernetesResource> options) {
    return new Cache<>(
        kind.getKind(),
        scoped(client.genericKubernetesResources(kind), options.namespace()),
        options);
  }

  private static <T extends HasMetadata, L extends KubernetesResourceList<T>>
      FilterWatchListDeletable<T, L, ?> scoped(
          MixedOperation<T, L, Resource<T>> all, @Nullable String namespace) {
    return namespace == null ? all.inAnyNamespace() : all.inNamespace(namespace);
  }

  /// Begins to read. A cache starts once; closing it ends it for good.
  public Cache<T> start() {
    thread.start();
    return this;
  }

  /// Only the namespace and the name of the key count.
  public Optional<T> get(ObjectKey key) {
    return get(key.namespace(), key.name());
  }

  /// One object.
  ///
  /// @param namespace empty for kinds that have none
  public Optional<T> get(String namespace, String name) {
    return store.get(new Place(namespace, name));
  }

  /// A live view: it shows later changes too.
  public Collection<T> all() {
    return store.all();
  }

  public Stream<T> stream() {
    return store.all().stream();
  }

  /// `listener` hears of every object that is there now as [Change.Added], then of every change,
  /// one at a time and in order, before and after the first sync. It runs on the thread that reads
  /// the watch: hand work over to a queue. A list that brings nothing new is no change.
  public void listen(Consumer<Change<T>> listener) {
    store.listen(listener);
  }

  /// `listener` hears of every complete list, by its resourceVersion, once the cache shows it. What
  /// came and went before it, while no watch was open, is in no [Change].
  public void listenToLists(Consumer<String> listener) {
    store.listenToLists(listener);
  }

  /// The kind of its objects.
  public String kind() {
    return kind;
  }

  /// True from the first complete answer on: all objects are here, or the API server does not serve
  /// the kind. A later outage does not make it false: the cache then shows the last known state and
  /// catches up automatically.
  public boolean isSynced() {
    return status.isSynced();
  }

  /// The API server does not serve the kind, most often because its CRD is not installed. The cache
  /// is empty and looks again every ten minutes, or when [#refresh] is called.
  public boolean isAbsent() {
    return status.isAbsent();
  }

  /// Ends a pause between two attempts; for the moment when a CRD appears.
  public void refresh() {
    feed.wake();
  }

  /// Waits for the first sync.
  ///
  /// @return whether the cache is synced
  public boolean awaitSync(Duration limit) throws InterruptedException {
    return status.await(limit);
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
