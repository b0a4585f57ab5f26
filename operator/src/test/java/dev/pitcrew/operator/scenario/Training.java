package dev.pitcrew.operator.scenario;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/// Pods that hold GPUs, and their disruption budgets.
record Training(KubernetesClient client) implements AutoCloseable {
  static final String NAMESPACE = "default";

  /// A Deployment whose pods hold a GPU each.
  void start(String name, int replicas) {
    start(name, replicas, "{}", "[]");
  }

  /// The same with one pod that runs on this node, whether it is cordoned or not.
  void startInSpiteOfCordons(String name, String node) {
    start(name, 1, on(node), "[{key: node.kubernetes.io/unschedulable}]");
  }

  /// The same with one pod that runs on this node and on no other, and that may not go.
  void pinTo(String node) {
    start("pinned", 1, on(node), "[]");
    pin("pinned");
  }

  /// A budget that lets one pod of a Deployment go at a time.
  void loosen(String name) {
    budget(name, 1);
  }

  private static String on(String node) {
    return "{kubernetes.io/hostname: " + node + "}";
  }

  private void start(String name, int replicas, String nodeSelector, String tolerations) {
    create(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: %1$s, namespace: default}
        spec:
          replicas: %2$d
          selector: {matchLabels: {app: %1$s}}
          template:
            metadata: {labels: {app: %1$s}, annotations: {testbed.pitcrew.dev/starts-after: 20ms}}
            spec:
              terminationGracePeriodSeconds: 0
              nodeSelector: %3$s
              tolerations: %4$s
              containers:
              - {name: c, image: example.com/train:1, resources: {limits: {nvidia.com/gpu: 1}}}
        """
            .formatted(name, replicas, nodeSelector, tolerations));
    awaitRunning(name, replicas);
  }

  void awaitRunning(String name, int replicas) {
    await(name + " runs")
        .atMost(UpgradeFleet.LIMIT)
        .until(() ->
            Objects.requireNonNullElse(
                    client
                        .apps()
                        .deployments()
                        .inNamespace(NAMESPACE)
                        .withName(name)
                        .get()
                        .getStatus()
                        .getReadyReplicas(),
                    0)
                == replicas);
  }

  List<Pod> pods(String name) {
    return client.pods().inNamespace(NAMESPACE).withLabel("app", name).list().getItems();
  }

  /// A budget that lets no pod of a Deployment go.
  void pin(String name) {
    budget(name, 0);
  }

  private void budget(String name, int unavailable) {
    create(
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {name: %1$s-budget, namespace: default}
        spec: {maxUnavailable: %2$d, selector: {matchLabels: {app: %1$s}}}
        """
            .formatted(name, unavailable));
  }

  void unpin() {
    client.policy().v1().podDisruptionBudget().inNamespace(NAMESPACE).delete();
  }

  private void create(String yaml) {
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }

  /// Removes all of them.
  @Override
  public void close() {
    unpin();
    client.apps().deployments().inNamespace(NAMESPACE).delete();
    await("no pod of a test is left")
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> {
          boolean isOver =
              client.apps().replicaSets().inNamespace(NAMESPACE).list().getItems().isEmpty();
          client.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
          return isOver && client.pods().inNamespace(NAMESPACE).list().getItems().isEmpty();
        });
  }
}
