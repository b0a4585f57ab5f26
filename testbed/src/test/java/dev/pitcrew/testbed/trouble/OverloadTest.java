package dev.pitcrew.testbed.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithControlPlane
class OverloadTest {
  private static final String USER = "refused";
  private static final int SERVED = 200;
  private static final int TOO_MANY_REQUESTS = 429;

  private final ControlPlane controlPlane;
  private KubernetesClient client;

  OverloadTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeEach
  void connect() {
    controlPlane
        .client()
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(USER)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("rbac.authorization.k8s.io", "User", USER, null)
                .build())
        .create();
    var config = Config.fromKubeconfig(controlPlane.kubeconfigForUser(USER).toFile());
    config.setRequestRetryBackoffLimit(0);
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  @Test
  void oneUserIsRefused_andAllOthersAreServed() {
    assertThat(statusOfRead(client)).isEqualTo(SERVED);
    try (var _ = Overload.of(controlPlane, USER)) {
      assertThat(statusOfRead(client)).isEqualTo(TOO_MANY_REQUESTS);
      assertThat(statusOfRead(client)).isEqualTo(TOO_MANY_REQUESTS);
      assertThat(statusOfRead(controlPlane.client())).isEqualTo(SERVED);
    }
    assertThat(statusOfRead(client)).isEqualTo(SERVED);
  }

  @Test
  void whereOnlyWritesAreRefusedReadsAreServed() {
    try (var _ = Overload.ofWrites(controlPlane, USER)) {
      assertThat(statusOfWrite(client)).isEqualTo(TOO_MANY_REQUESTS);
      assertThat(statusOfRead(client)).isEqualTo(SERVED);
    }
    assertThat(statusOfWrite(client)).isEqualTo(SERVED);
  }

  private static int statusOfRead(KubernetesClient client) {
    return status(() -> client.namespaces().withName("default").get());
  }

  private static int statusOfWrite(KubernetesClient client) {
    var namespace = new NamespaceBuilder().withNewMetadata().withName("default").endMetadata();
    return status(() -> client.resource(namespace.build()).dryRun().patch());
  }

  private static int status(Runnable request) {
    try {
      request.run();
      return SERVED;
    } catch (KubernetesClientException e) {
      return e.getCode();
    }
  }
}
