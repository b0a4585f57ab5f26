package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/// Speaks for the kubelets of simulated machines that fall silent, come back or reboot, and of pods
/// whose image arrives late.
record Kubelets(KubernetesClient client) implements AutoCloseable {
  private static final String SILENT = "testbed.pitcrew.dev/silent";
  private static final String FINALIZER = "test.pitcrew.dev/kubelet-is-silent";

  /// From now on the kubelet of a node says nothing, and nothing that is deleted there ends.
  ///
  /// @param status of the condition Ready: `Unknown`, or `False` as a kubelet reports its own
  /// @param ago how long it has been so
  void fall(String node, String status, Duration ago) {
    pods(node).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .forEach(pod -> merge(pod, "{\"metadata\":{\"finalizers\":[\"" + FINALIZER + "\"]}}"));
    annotate(node, "\"true\"");
    ready(node, status, Instant.now().minus(ago));
  }

  /// The kubelet is back, and its pods are as they were.
  void end(String node) {
    annotate(node, "null");
    ready(node, "True", Instant.now());
    pods(node).forEach(pod -> merge(pod, "{\"metadata\":{\"finalizers\":null}}"));
    pods(node).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> pod.getStatus().getPhase().equals("Running"))
        .forEach(pod -> unlessGone(() -> runsAgain(pod)));
  }

  /// The same of all nodes that are silent.
  @Override
  public void close() {
    client.nodes().list().getItems().stream()
        .filter(node -> node.getMetadata().getAnnotations().containsKey(SILENT))
        .forEach(node -> end(node.getMetadata().getName()));
  }

  /// The machine reboots, with another boot ID, and so do the containers of its pods.
  void reboot(String node) {
    fall(node, "Unknown", Duration.ZERO);
    status(node, "{\"nodeInfo\":{\"bootID\":\"%s\"}}".formatted(UUID.randomUUID()));
    end(node);
  }

  /// The registry has the images of a pod at last, and it runs.
  void pull(Pod pod) {
    var status = client.resource(pod).get().getStatus();
    status.setPhase("Running");
    status.getConditions().forEach(it -> it.setStatus("True"));
    status
        .getContainerStatuses()
        .forEach(it -> {
          it.setImageID("sha256:1");
          it.setReady(true);
          it.setStarted(true);
          it.setState(new ContainerStateBuilder().withNewRunning().endRunning().build());
        });
    pod.setStatus(status);
    client.resource(pod).patchStatus();
  }

  /// The driver manager of a node's driver pod runs, and says on the Node what it waits for.
  void managerWaits(String node, String words) {
    patch(
        node,
        "{\"metadata\":{\"annotations\":{\"pitcrew.dev/driver-manager-waits-for\":\"%s\"}}}"
            .formatted(words));
    manager(node, "{\"state\": {\"running\": {\"startedAt\": \"2026-11-22T08:00:00Z\"}}");
  }

  /// It has ended with these words, and the kubelet will start it again.
  void managerRefuses(String node, String words) {
    manager(
        node,
        """
        {"state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s restarting"}},
         "lastState": {"terminated": {"exitCode": 1, "reason": "Error", "message": "%s"}}\
        """
            .formatted(words));
  }

  private void manager(String node, String state) {
    client
        .resource(driver(node))
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"initContainerStatuses": [%s, "name": "k8s-driver-manager", "image": "x",
              "imageID": "x", "ready": false, "restartCount": 2}]}}
            """
                .formatted(state));
  }

  private Pod driver(String node) {
    return new DriverPods(client)
        .all().stream()
            .filter(pod -> pod.getSpec().getNodeName().equals(node))
            .findFirst()
            .orElseThrow();
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
    pod.getMetadata().setResourceVersion(null); // whatever others say of it meanwhile
    client.resource(pod).patchStatus();
  }

  private void ready(String node, String status, Instant since) {
    status(
        node,
        "{\"conditions\":[{\"type\":\"Ready\",\"status\":\"%s\",\"reason\":\"%s\",\"lastTransitionTime\":\"%s\"}]}"
            .formatted(status, reason(status), since.truncatedTo(ChronoUnit.SECONDS)));
  }

  private void status(String node, String status) {
    client
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"status\":%s}".formatted(status));
  }

  private static String reason(String status) {
    return switch (status) {
      case "True" -> "KubeletReady";
      case "False" -> "KubeletNotReady";
      default -> "NodeStatusUnknown";
    };
  }

  private void annotate(String node, String value) {
    patch(node, "{\"metadata\":{\"annotations\":{\"%s\":%s}}}".formatted(SILENT, value));
  }

  private void patch(String node, String patch) {
    client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private void merge(Pod pod, String patch) {
    unlessGone(() -> client.resource(pod).patch(PatchContext.of(PatchType.JSON_MERGE), patch));
  }

  /// Others may have had a pod removed since it was listed.
  private static void unlessGone(Runnable change) {
    try {
      change.run();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  private List<Pod> pods(String node) {
    return client.pods().inAnyNamespace().withField("spec.nodeName", node).list().getItems();
  }
}
