package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/// Has simulated machines fall silent, come back and reboot, as their kubelets and the node
/// controller would tell it.
record Outages(KubernetesClient client) {
  private static final String FINALIZER = "test.pitcrew.dev/kubelet-is-silent";

  /// From now on the kubelet of a node says nothing, and nothing that is deleted there ends.
  ///
  /// @param status of the condition Ready: `Unknown`, or `False` as a kubelet says it of itself
  /// @param ago how long it has been so
  void fall(String node, String status, Duration ago) {
    pods(node).forEach(pod -> merge(pod, "{\"metadata\":{\"finalizers\":[\"" + FINALIZER + "\"]}}"));
    annotate(node, "\"true\"");
    ready(node, status, Instant.now().minus(ago));
  }

  /// The kubelet is back, and its pods are as they were.
  void end(String node) {
    annotate(node, "null");
    ready(node, "True", Instant.now());
    pods(node).forEach(pod -> merge(pod, "{\"metadata\":{\"finalizers\":null}}"));
    pods(node).stream().filter(pod -> pod.getStatus().getPhase().equals("Running")).forEach(this::runsAgain);
  }

  /// The machine starts anew, with another boot ID, and so do the containers of its pods.
  void reboot(String node) {
    fall(node, "Unknown", Duration.ZERO);
    client
        .nodes()
        .withName(node)
        .editStatus(it -> {
          it.getStatus().getNodeInfo().setBootID(UUID.randomUUID().toString());
          return it;
        });
    end(node);
  }

  /// Has an upgrade look as if the node came to its state so long ago.
  void backdate(String node, Duration ago) {
    patch(
        node,
        "{\"metadata\":{\"annotations\":{\"pitcrew.dev/driver-upgrade-since\":\"%s\"}}}"
            .formatted(Instant.now().minus(ago)));
  }

  private void runsAgain(Pod pod) {
    pod.getStatus().getConditions().stream()
        .filter(it -> it.getType().equals("Ready"))
        .forEach(it -> it.setStatus("True"));
    pod.getStatus()
        .getContainerStatuses()
        .forEach(it -> it.setRestartCount(it.getRestartCount() + 1));
    client.resource(pod).patchStatus();
  }

  private void ready(String node, String status, Instant since) {
    client
        .nodes()
        .withName(node)
        .editStatus(it -> {
          condition(it).setStatus(status);
          condition(it).setReason(reason(status));
          condition(it).setLastTransitionTime(since.truncatedTo(ChronoUnit.SECONDS).toString());
          return it;
        });
  }

  private static NodeCondition condition(Node node) {
    return node.getStatus().getConditions().stream()
        .filter(it -> it.getType().equals("Ready"))
        .findFirst()
        .orElseThrow();
  }

  private static String reason(String status) {
    return switch (status) {
      case "True" -> "KubeletReady";
      case "False" -> "KubeletNotReady";
      default -> "NodeStatusUnknown";
    };
  }

  private void annotate(String node, String value) {
    patch(
        node,
        "{\"metadata\":{\"annotations\":{\"testbed.pitcrew.dev/silent\":%s}}}".formatted(value));
  }

  private void patch(String node, String patch) {
    client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private void merge(Pod pod, String patch) {
    client.resource(pod).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private List<Pod> pods(String node) {
    return client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems();
  }
}
