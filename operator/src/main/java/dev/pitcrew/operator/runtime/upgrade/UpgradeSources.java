package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Index;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What is watched for upgrades, and only while some nodes are upgraded automatically.
final class UpgradeSources implements AutoCloseable {
  private static final String DRIVER_PODS = "app.kubernetes.io/component=nvidia-driver";
  private static final String VALIDATOR_PODS = "app=nvidia-operator-validator";

  /// The watches of one stretch of time in which something is upgraded.
  record Open(
      Operands drivers,
      Operands validators,
      Cache<Pod> preflights,
      GpuNodes reports,
      GpuNodes.Reader reader,
      PodsOfNodes nodePods)
      implements AutoCloseable {

    boolean isSynced() {
      return drivers.all().isSynced()
          && validators.all().isSynced()
          && preflights.isSynced()
          && reports.isSynced();
    }

    @Override
    public void close() {
      nodePods.close();
      reader.watchWhile(false);
      preflights.close();
      validators.all().close();
      drivers.all().close();
    }
  }

  /// The pods of one operand that have a node.
  record Operands(Cache<Pod> all, Index<Pod> byNode) {}

  private final KubernetesClient client;
  private final String namespace;
  private final GpuNodes gpuNodes;
  private final GpuNodes.Reader reader;
  private final Consumer<String> changed;
  private final Runnable listed;
  private final Consumer<Cache<Pod>> preflights;
  private final AtomicReference<@Nullable Open> open = new AtomicReference<>();

  /// @param changed called with the node that changed
  /// @param listed called when any node may have changed
  /// @param preflights called with the cache of pods that pull images, before it starts
  UpgradeSources(
      KubernetesClient client,
      String namespace,
      GpuNodes gpuNodes,
      Consumer<String> changed,
      Runnable listed,
      Consumer<Cache<Pod>> preflights) {
    this.client = client;
    this.namespace = namespace;
    this.gpuNodes = gpuNodes;
    // Where a node stands in the roll-out is what we say ourselves.
    this.reader = gpuNodes.reader(it -> List.of(it.driver(), it.conditions()), changed, listed);
    this.changed = changed;
    this.listed = listed;
    this.preflights = preflights;
  }

  /// The watches, which begin with the first call.
  Open open() {
    @Nullable Open now = open.get();
    if (now == null) {
      reader.watchWhile(true);
      now =
          new Open(
              operands(DRIVER_PODS),
              operands(VALIDATOR_PODS),
              start(preflightPods()),
              gpuNodes,
              reader,
              new PodsOfNodes(client, changed));
      open.set(now);
    }
    return now;
  }

  /// The watches, if they were begun.
  Optional<Open> now() {
    return Optional.ofNullable(open.get());
  }

  @Override
  public void close() {
    Optional.ofNullable(open.getAndSet(null)).ifPresent(Open::close);
  }

  private Operands operands(String labels) {
    var cache =
        Cache.of(
            client,
            Pod.class,
            CacheOptions.<Pod>all()
                .inNamespace(namespace)
                .withLabels(labels)
                .slimmedBy(SlimPods::operand)
                .keeping(pod -> pod.getSpec().getNodeName() != null));
    var byNode = Index.of(cache, pod -> pod.getSpec().getNodeName());
    return new Operands(start(cache), byNode);
  }

  private Cache<Pod> preflightPods() {
    var cache =
        Cache.of(
            client,
            Pod.class,
            CacheOptions.<Pod>all().inNamespace(namespace).withLabels(PreflightPods.LABELS));
    preflights.accept(cache);
    return cache;
  }

  private Cache<Pod> start(Cache<Pod> cache) {
    cache.listen(change ->
        changed.accept(Objects.requireNonNullElse(change.latest().getSpec().getNodeName(), "")));
    cache.listenToLists(_ -> listed.run());
    return cache.start();
  }
}
