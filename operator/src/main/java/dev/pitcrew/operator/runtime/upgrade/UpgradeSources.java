package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// What is watched for upgrades, and only while some nodes are upgraded automatically.
final class UpgradeSources implements AutoCloseable {
  private static final String DRIVER_PODS = "app.kubernetes.io/component=nvidia-driver";
  private static final String VALIDATOR_PODS = "app=nvidia-operator-validator";

  /// The watches of one stretch of time in which something is upgraded.
  record Open(
      Cache<Pod> drivers,
      Cache<Pod> validators,
      GpuNodes reports,
      GpuNodes.Reader reader,
      PodsOfNodes nodePods)
      implements AutoCloseable {

    boolean isSynced() {
      return drivers.isSynced() && validators.isSynced() && reports.isSynced();
    }

    @Override
    public void close() {
      nodePods.close();
      reader.watchWhile(false);
      validators.close();
      drivers.close();
    }
  }

  private final KubernetesClient client;
  private final String namespace;
  private final GpuNodes gpuNodes;
  private final GpuNodes.Reader reader;
  private final Runnable changed;
  private final AtomicReference<@Nullable Open> open = new AtomicReference<>();

  UpgradeSources(KubernetesClient client, String namespace, GpuNodes gpuNodes, Runnable changed) {
    this.client = client;
    this.namespace = namespace;
    this.gpuNodes = gpuNodes;
    this.reader =
        gpuNodes.reader(
            it -> List.of(it.driver(), it.conditions(), it.rollout()), _ -> changed.run(), changed);
    this.changed = changed;
  }

  /// The watches, which begin with the first call.
  Open open() {
    @Nullable Open now = open.get();
    if (now == null) {
      reader.watchWhile(true);
      now =
          new Open(
              start(DRIVER_PODS),
              start(VALIDATOR_PODS),
              gpuNodes,
              reader,
              new PodsOfNodes(client, changed));
      open.set(now);
    }
    return now;
  }

  @Override
  public void close() {
    Optional.ofNullable(open.getAndSet(null)).ifPresent(Open::close);
  }

  private Cache<Pod> start(String labels) {
    var cache =
        Cache.of(
            client,
            Pod.class,
            CacheOptions.<Pod>all()
                .inNamespace(namespace)
                .withLabels(labels)
                .slimmedBy(SlimPods::operand)
                .keeping(pod -> pod.getSpec().getNodeName() != null));
    cache.listen(_ -> changed.run());
    cache.listenToLists(_ -> changed.run());
    return cache.start();
  }
}
