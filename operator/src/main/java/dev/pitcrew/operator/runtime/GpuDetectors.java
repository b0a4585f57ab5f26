package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.operand.GpuDetector;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// On which nodes the [GpuDetector] has found a GPU: where its container has ended with 0, by the
/// status that the kubelet writes. Only those pods are held, and each leaves its node as soon as
/// that is labelled.
final class GpuDetectors implements AutoCloseable {
  private final Map<String, String> podsByNode = new ConcurrentHashMap<>();
  private final Consumer<String> found;
  private final OccasionalCache<Pod> pods;

  /// Watches nothing yet.
  ///
  /// @param found given the name of a node where a GPU was found
  GpuDetectors(KubernetesClient client, String namespace, Consumer<String> found) {
    this.found = found;
    pods =
        new OccasionalCache<>(() -> Cache.of(client, Pod.class, options(namespace)), this::changed);
  }

  /// Watches as long as there are detectors.
  void watchWhile(boolean wanted) {
    pods.watchWhile(wanted);
    if (!wanted) {
      podsByNode.clear();
    }
  }

  boolean haveFoundGpuOn(String node) {
    return podsByNode.containsKey(node);
  }

  @Override
  public void close() {
    pods.close();
  }

  private void changed(Change<Pod> change) {
    String pod = change.latest().getMetadata().getName();
    String node = Objects.requireNonNullElse(change.latest().getSpec().getNodeName(), "");
    if (change instanceof Change.Deleted<Pod>) {
      podsByNode.remove(node, pod);
    } else {
      podsByNode.put(node, pod);
      found.accept(node);
    }
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
