package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.names.PauseWord;
import dev.pitcrew.operator.operand.driver.DriverManagerContainer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/// Pauses of operands that no program would end: a driver manager that is killed leaves them to the
/// next one, and none comes to a node where no driver is wanted any more.
final class LeftPauses {
  /// Its end is no change of the node, and the kubelet gives it a while.
  static final Duration UNTIL_MANAGER_HAS_ENDED = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final Caches caches;

  LeftPauses(KubernetesClient client, Caches caches) {
    this.client = client;
    this.caches = caches;
  }

  static boolean isPaused(Node node) {
    return labels(node).entrySet().stream()
        .anyMatch(label ->
            label.getKey().startsWith(NodeLabels.DEPLOY_PREFIX)
                && PauseWord.isIn(label.getValue()));
  }

  /// Whether operands are paused on a node that no manager is to come to any more.
  boolean areOn(Node node) {
    return isPaused(node) && caches.daemonSets().stream().noneMatch(it -> bringsManager(it, node));
  }

  /// Whether a manager's pod is still there, even if it is terminating: only then is it certain
  /// that it pauses nothing. Read from the API server, since this is too rare for a watch of all
  /// those pods.
  boolean isManagerOn(Node node) {
    return client
        .pods()
        .inNamespace(caches.namespace())
        .withField("spec.nodeName", node.getMetadata().getName())
        .list()
        .getItems()
        .stream()
        .anyMatch(pod -> hasManager(pod.getSpec()));
  }

  private static boolean bringsManager(DaemonSet daemonSet, Node node) {
    PodSpec pod = daemonSet.getSpec().getTemplate().getSpec();
    return hasManager(pod)
        && labels(node)
            .entrySet()
            .containsAll(
                Objects.requireNonNullElse(pod.getNodeSelector(), Map.<String, String>of())
                    .entrySet());
  }

  private static boolean hasManager(PodSpec pod) {
    return pod.getInitContainers().stream()
        .anyMatch(container -> container.getName().equals(DriverManagerContainer.NAME));
  }

  private static Map<String, String> labels(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }
}
