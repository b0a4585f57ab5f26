package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.cache.Index;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.operand.GpuDetector;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// On which nodes the [GpuDetector] has found a GPU: where its container has ended with 0, by the
/// status that the kubelet writes. Only those pods are held, and each leaves its node as soon as
/// that is labelled.
final class GpuDetectors implements AutoCloseable {
  private final AtomicReference<@Nullable Index<Pod>> byNode = new AtomicReference<>();
  private final OccasionalCache<Pod> pods;

  /// Watches nothing yet.
  ///
  /// @param found given the name of a node where a GPU was found
  GpuDetectors(KubernetesClient client, String namespace, Consumer<String> found) {
    pods =
        new OccasionalCache<>(
            () -> indexed(Cache.of(client, Pod.class, options(namespace))),
            change -> {
              if (!(change instanceof Change.Deleted<Pod>)) {
                found.accept(node(change.latest()));
              }
            });
  }

  /// Watches as long as there are detectors.
  void watchWhile(boolean wanted) {
    pods.watchWhile(wanted);
  }

  boolean haveFoundGpuOn(String node) {
    Index<Pod> index = byNode.get();
    return index != null && pods.now().isPresent() && !index.get(node).isEmpty();
  }

  @Override
  public void close() {
    pods.close();
  }

  private Cache<Pod> indexed(Cache<Pod> cache) {
    byNode.set(Index.of(cache, GpuDetectors::node));
    return cache;
  }

  private static String node(Pod pod) {
    return Objects.requireNonNullElse(pod.getSpec().getNodeName(), "");
  }

  private static CacheOptions<Pod> options(String namespace) {
    return CacheOptions.<Pod>all()
        .inNamespace(namespace)
        .withLabels("app=" + GpuDetector.NAME)
        .slimmedBy(GpuDetectors::slim)
        .keeping(GpuDetectors::hasFoundGpu);
  }

  /// Also after the kubelet has started the container again.
  private static boolean hasFoundGpu(Pod pod) {
    return pod.getStatus().getContainerStatuses().stream()
        .flatMap(GpuDetectors::states)
        .map(ContainerState::getTerminated)
        .anyMatch(end -> end != null && Objects.equals(end.getExitCode(), 0));
  }

  private static Stream<ContainerState> states(ContainerStatus container) {
    return Stream.of(container.getState(), container.getLastState()).filter(Objects::nonNull);
  }

  private static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(Slim.identity(pod).build())
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .endSpec()
        .withNewStatus()
        .withContainerStatuses(pod.getStatus().getContainerStatuses())
        .endStatus()
        .build();
  }
}
