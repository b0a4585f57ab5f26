package dev.pitcrew.operator.runtime.gpunode;

import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The GPUNodes, watched once for all who read them, and only while one of them wants to.
///
/// Safe for use by many threads.
public final class GpuNodes implements AutoCloseable {
  private final KubernetesClient client;
  private final ResourceDefinitionContext kind;
  private final List<Reader> readers = new CopyOnWriteArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final AtomicReference<@Nullable Cache<GenericKubernetesResource>> cache =
      new AtomicReference<>();

  /// Watches nothing yet.
  public GpuNodes(KubernetesClient client, ResourceDefinitionContext kind) {
    this.client = client;
    this.kind = kind;
  }

  /// One who reads GPUNodes now and then.
  public final class Reader {
    private final Function<GpuNodeStatus, Object> part;
    private final Consumer<String> changed;
    private final Runnable listed;
    private volatile boolean wanted;

    private Reader(
        Function<GpuNodeStatus, Object> part, Consumer<String> changed, Runnable listed) {
      this.part = part;
      this.changed = changed;
      this.listed = listed;
    }

    /// Watches as long as this reader wants it.
    public void watchWhile(boolean isWanted) {
      lock.lock();
      try {
        boolean begins = isWanted && !wanted;
        wanted = isWanted;
        @Nullable Cache<GenericKubernetesResource> running = watch();
        if (begins && running != null) {
          running.stream().forEach(node -> updated(GpuNodeStatus.ABSENT, node));
          listed.run();
        }
      } finally {
        lock.unlock();
      }
    }

    public boolean isWatching() {
      return wanted;
    }

    private void updated(GpuNodeStatus before, GenericKubernetesResource after) {
      if (wanted && !part.apply(before).equals(part.apply(status(after)))) {
        changed.accept(after.getMetadata().getName());
      }
    }

    private void deleted(GenericKubernetesResource last) {
      if (wanted) {
        changed.accept(last.getMetadata().getName());
      }
    }
  }

  /// @param part what of a status the reader looks at; a change of anything else is none to it
  /// @param changed hears of each change by the name of the node, on the thread that reads the
  ///   watch
  /// @param listed run when the GPUNodes are all known, and again after each new list
  public Reader reader(
      Function<GpuNodeStatus, Object> part, Consumer<String> changed, Runnable listed) {
    var reader = new Reader(part, changed, listed);
    readers.add(reader);
    return reader;
  }

  /// Whether all are known, or the API server has none of the kind.
  public boolean isSynced() {
    return now().map(Cache::isSynced).orElse(false);
  }

  /// Waits until they are.
  ///
  /// @return false if that took longer, or nothing is watched
  public boolean awaitSync(Duration limit) throws InterruptedException {
    @Nullable Cache<GenericKubernetesResource> running = cache.get();
    return running != null && running.awaitSync(limit);
  }

  /// What the agent of a node says; empty where the node has none, or it has said nothing yet.
  public Optional<GpuNodeStatus> of(String node) {
    return object(node).map(GpuNodes::status);
  }

  /// The same, but of this very Node and of none that had its name before.
  public Optional<GpuNodeStatus> of(String node, String nodeUid) {
    return object(node)
        .map(SlimGpuNodes::report)
        .filter(report -> report.nodeUid().isEmpty() || report.nodeUid().equals(nodeUid))
        .map(SlimGpuNodes.Report::status);
  }

  /// What to write a status to. It holds but what the operator wrote.
  public Optional<GenericKubernetesResource> object(String node) {
    return now().flatMap(all -> all.get("", node));
  }

  /// All that are known now.
  public Stream<GenericKubernetesResource> stream() {
    return now().stream().flatMap(Cache::stream);
  }

  /// What a GPUNode of [#stream] says.
  public static GpuNodeStatus status(GenericKubernetesResource node) {
    return SlimGpuNodes.report(node).status();
  }

  /// Looks again for a kind that was not served.
  public void refresh() {
    now().filter(Cache::isAbsent).ifPresent(Cache::refresh);
  }

  @Override
  public void close() {
    Optional.ofNullable(cache.getAndSet(null)).ifPresent(Cache::close);
  }

  private Optional<Cache<GenericKubernetesResource>> now() {
    return Optional.ofNullable(cache.get());
  }

  /// Begins or ends the watch.
  ///
  /// @return what is watched already; null where nothing is, or was not before
  private @Nullable Cache<GenericKubernetesResource> watch() {
    if (readers.stream().noneMatch(Reader::isWatching)) {
      close();
      return null;
    }
    @Nullable Cache<GenericKubernetesResource> running = cache.get();
    if (running == null) {
      start();
    }
    return running;
  }

  private void start() {
    var slimming = new SlimGpuNodes();
    Cache<GenericKubernetesResource> started =
        Cache.ofGeneric(
            client, kind, CacheOptions.<GenericKubernetesResource>all().slimmedBy(slimming::slim));
    cache.set(started);
    started.listen(this::take);
    started.listenToLists(
        _ -> readers.stream().filter(Reader::isWatching).forEach(reader -> reader.listed.run()));
    started.start();
  }

  private void take(Change<GenericKubernetesResource> change) {
    for (Reader reader : readers) {
      switch (change) {
        case Change.Added<GenericKubernetesResource>(var node) ->
            reader.updated(GpuNodeStatus.ABSENT, node);
        case Change.Updated<GenericKubernetesResource>(var before, var after) ->
            reader.updated(status(before), after);
        case Change.Deleted<GenericKubernetesResource>(var last) -> reader.deleted(last);
      }
    }
  }
}
