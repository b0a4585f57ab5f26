package dev.pitcrew.testbed.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

@WithControlPlane
class ControlPlaneTest {
  @Test
  void controlPlane_servesThePinnedVersion(KubernetesClient client) {
    assertThat(client.getKubernetesVersion().getGitVersion())
        .isEqualTo("v" + Binary.KUBE_APISERVER.version());
  }

  @Test
  void aServiceAccountHasOnlyTheRightsThatRbacGivesIt(
      ControlPlane controlPlane, TestNamespace namespace) {
    createServiceAccount(controlPlane.client(), namespace, "operator");

    try (var client = clientFor(controlPlane.kubeconfigFor(namespace.name(), "operator"))) {
      assertThatThrownBy(() -> client.nodes().list())
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
    }
  }

  @Test
  void everyRequestIsInTheAuditLog(ControlPlane controlPlane, TestNamespace namespace) {
    var client = controlPlane.client();
    client.resource(configMap(namespace, "written")).create();

    assertThat(controlPlane.auditLog().requestsOf("kubernetes-admin"))
        .anySatisfy(request -> {
          assertThat(request.verb()).isEqualTo("create");
          assertThat(request.resource()).isEqualTo("configmaps");
          assertThat(request.namespace()).isEqualTo(namespace.name());
          assertThat(request.status()).isEqualTo(201);
          assertThat(request.isMutating()).isTrue();
        });
  }

  @Test
  void anOutageKeepsAddressAndData(ControlPlane controlPlane, TestNamespace namespace) {
    var client = controlPlane.client();
    client.resource(configMap(namespace, "kept")).create();

    controlPlane.stopApiServer();
    controlPlane.startApiServer();

    assertThat(client.configMaps().inNamespace(namespace.name()).withName("kept").get())
        .isNotNull();
  }

  @Test
  void twoKnowNothingOfEachOther(ControlPlane one) {
    var options = ControlPlaneOptions.defaults().withoutControllers("daemonset-controller");
    try (var two = ControlPlane.start(options)) {
      assertThat(two.apiServerAddress()).isNotEqualTo(one.apiServerAddress());
      assertThat(clusterId(two)).isNotEqualTo(clusterId(one));
    }
  }

  @Test
  void aNodeThatSignsInWithACertificateMayNotTouchAnother(ControlPlane controlPlane) {
    var client = controlPlane.client();
    client.resource(NodeTemplate.cpu("cpu").node(1)).create();

    var kubeconfig = controlPlane.kubeconfigForUser("system:node:cpu-2", "system:nodes");
    try (var node = clientFor(kubeconfig)) {
      assertThatThrownBy(() -> node.nodes().withName("cpu-1").delete())
          .isInstanceOfSatisfying(
              KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
    }
  }

  private static String clusterId(ControlPlane controlPlane) {
    var system = controlPlane.client().namespaces().withName("kube-system").require();
    return system.getMetadata().getUid();
  }

  private static ConfigMap configMap(TestNamespace namespace, String name) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withNamespace(namespace.name())
        .withName(name)
        .endMetadata()
        .build();
  }

  private static void createServiceAccount(
      KubernetesClient client, TestNamespace namespace, String name) {
    var account =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withNamespace(namespace.name())
            .withName(name)
            .endMetadata();
    client.resource(account.build()).create();
  }

  private static KubernetesClient clientFor(Path kubeconfig) {
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
        .build();
  }
}
