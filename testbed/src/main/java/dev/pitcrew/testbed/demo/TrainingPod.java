package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.node.ProbePod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/// The one pod of a Deployment that has a GPU of the real node: who evicts it has another come in
/// its place. Closing ends the watch and leaves the pod.
final class TrainingPod implements AutoCloseable {
  private static final String NAMESPACE = "default";
  private static final String NAME = "training";
  private static final String DEPLOYMENT =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: %1$s, namespace: %2$s}
      spec:
        replicas: 1
        selector: {matchLabels: {app: %1$s}}
        template:
          metadata: {labels: {app: %1$s}}
          spec:
            terminationGracePeriodSeconds: 1
            nodeSelector: {kubernetes.io/hostname: %3$s}
            containers:
            - {name: train, image: "%4$s", imagePullPolicy: Never, resources: {limits: {nvidia.com/gpu: 1}}}
      """;

  private final LiveCluster cluster;
  private final SharedIndexInformer<Pod> pods;

  private TrainingPod(KubernetesClient client, LiveCluster cluster) {
    this.cluster = cluster;
    this.pods = client.pods().inNamespace(NAMESPACE).withLabel("app", NAME).inform();
  }

  /// Watches the pod that there is.
  static TrainingPod watch(KubernetesClient client, LiveCluster cluster) {
    return new TrainingPod(client, cluster);
  }

  /// Returns when the pod runs, or when the limit is over.
  static TrainingPod run(KubernetesClient client, LiveCluster cluster, String node) {
    var yaml = DEPLOYMENT.formatted(NAME, NAMESPACE, node, StaticProgram.PROBE.imageName());
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
    var pod = new TrainingPod(client, cluster);
    cluster.await(Duration.ofMinutes(1), () -> pod.running().isPresent());
    return pod;
  }

  /// The name of the one that runs.
  Optional<String> running() {
    return pods.getStore().list().stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> Readiness.isPodReady(pod) && ProbePod.isRunning(pod))
        .map(pod -> pod.getMetadata().getName())
        .findFirst();
  }

  String words() {
    return running().orElse("-");
  }

  /// Why a pod goes, in the API server's words; empty while it does not.
  Optional<String> disruption(String name) {
    return pods.getStore().list().stream()
        .filter(pod -> pod.getMetadata().getName().equals(name))
        .flatMap(pod -> pod.getStatus().getConditions().stream())
        .filter(condition -> condition.getType().equals("DisruptionTarget"))
        .map(condition -> condition.getReason() + ": " + condition.getMessage())
        .findFirst();
  }

  ServerView view(String node) {
    return ServerView.of(cluster, node, words());
  }

  @Override
  public void close() {
    pods.close();
  }
}
