package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `kubectl gpu images` with the real kubectl, against a real API server.
@WithControlPlane
class ImagesCommandTest {
  private static final String DIGEST = "sha256:" + "0123456789abcdef".repeat(4);

  private final PluginCluster cluster;
  private final KubernetesClient client;
  private final String namespace;

  ImagesCommandTest(ControlPlane plane, TestNamespace namespace) {
    this.cluster = new PluginCluster(plane);
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  /// The tests share the namespace.
  @AfterEach
  void clear() {
    client.apps().daemonSets().inNamespace(namespace).delete();
    client.apps().deployments().inNamespace(namespace).delete();
    client.pods().inNamespace(namespace).withGracePeriod(0).delete();
    await()
        .atMost(LIMIT)
        .until(() -> client.pods().inNamespace(namespace).list().getItems().isEmpty());
  }

  @Test
  void imagesOfTheOperatorAndItsPolicies_haveTheDigestsOfTheNodes() {
    operator();
    workload("DaemonSet", "driver", "r/driver:1", "nvidia.com/v1");
    workload("DaemonSet", "agent", "r/pitcrew:1", "pitcrew.dev/v1alpha1");
    workload("DaemonSet", "mine", "r/mine:1", "example.com/v1");
    pod();

    Run images = cluster.run("images");

    images.assertFits();
    assertThat(images.code()).isEqualTo(ExitCodes.OK);
    assertThat(images.out()).containsPattern("r/driver:1 +sha256:0123456789ab +1 +Daemon");
    assertThat(cluster.run("images", "-o", "name").out())
        .isEqualTo("r/driver:1@%s\nr/pitcrew:1\nr/prepare:1\n".formatted(DIGEST));
    assertThat(cluster.run("images", "-n", namespace, "-o", "json").out())
        .contains("\"usedBy\": [", "\"DaemonSet agent\"", "\"Deployment gpu-operator\"")
        .doesNotContain("mine");
  }

  @Test
  void withoutAnOperatorOrRights_itSaysSo() {
    assertThat(cluster.run("images"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("no Deployment gpu-operator"));
    assertThat(cluster.run("images", "--as", "eve"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.text()).contains("eve may not list deployments.apps"));
    operator();
    cluster.grant(
        "half", "{apiGroups: [apps], resources: [daemonsets, deployments], verbs: [list]}");
    assertThat(cluster.run("images", "--as", "half"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.OK))
        .satisfies(it -> assertThat(it.err()).contains("no digests"))
        .satisfies(it -> assertThat(it.out()).contains("r/pitcrew:1"));
  }

  private void operator() {
    workload("Deployment", "gpu-operator", "r/pitcrew:1", "");
  }

  /// @param owner version of its owner's API; empty for none
  private void workload(String kind, String name, String image, String owner) {
    boolean isDriver = name.equals("driver");
    String yaml =
        """
        apiVersion: apps/v1
        kind: %s
        metadata:
          name: %s
          namespace: %s
          ownerReferences: [%s]
        spec:
          %s
          selector: {matchLabels: {app: %s}}
          template:
            metadata: {labels: {app: %s}}
            spec:
              nodeSelector: {none: none}
              initContainers: [%s]
              containers: [{name: main, image: '%s'}]
        """
            .formatted(
                kind,
                name,
                namespace,
                owner.isEmpty()
                    ? ""
                    : "{apiVersion: %s, kind: A, name: a, uid: u}".formatted(owner),
                kind.equals("Deployment") ? "replicas: 0" : "",
                name,
                name,
                isDriver ? "{name: prepare, image: 'r/prepare:1'}" : "",
                image);
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).serverSideApply();
  }

  /// There is no kubelet, which would say what it has pulled.
  private void pod() {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            metadata: {name: driver-1, namespace: %s, labels: {app: driver}}
            spec:
              nodeName: gpu-1
              containers: [{name: main, image: 'r/driver:1'}]
            status:
              containerStatuses:
              - {name: main, image: 'r/driver:1', imageID: 'r/driver@%s', ready: true, restartCount: 0}
            """
                .formatted(namespace, DIGEST),
            Pod.class));
  }
}
