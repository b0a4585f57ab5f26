package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A second installation in another namespace of the same cluster, such as the reference operator
/// that was not uninstalled. It has all rights, and so could do anything.
@WithControlPlane
class TwoInstallationsTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String OTHER = "gpu-operator-2";
  private static final String LEASE = "53822513.nvidia.com";
  private static final String USER = "second-installation";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final OperatorAddresses addresses = OperatorAddresses.free();
  private ControlPlane controlPlane;
  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    this.controlPlane = controlPlane;
    scene = Scene.of(SCENARIO, controlPlane);
    scene
        .client()
        .resource(new NamespaceBuilder().withNewMetadata().withName(OTHER).endMetadata().build())
        .serverSideApply();
  }

  @AfterEach
  void leave() {
    scene.client().namespaces().withName(OTHER).delete();
    scene.client().rbac().clusterRoleBindings().withName(USER).delete();
    scene.close();
  }

  @Test
  void theSecondDoesNothingUntilTheFirstIsGone() throws IOException, InterruptedException {
    var first = scene.start(Launch.replica("first"));
    scene.policy().create(Scene.scenario(SCENARIO)).awaitReady();

    scene.begin(
        OperatorLaunch.inPod(OTHER, "second").withArgument("--leader-elect"), account(), addresses);

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(readiness())
                .contains("the operator in namespace gpu-operator (first) runs this cluster"));
    var seen = renewed();
    await().atMost(LIMIT).until(() -> renewed().isAfter(seen.plusSeconds(10)));
    assertThat(writes()).isEmpty();
    assertThat(scene.policy().state()).isEqualTo("ready");

    first.terminate();
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(scene.client().apps().daemonSets().inNamespace(OTHER).list().getItems())
                .isNotEmpty());
  }

  /// When the first renewed its lease. The second tries to take its own every few seconds.
  private ZonedDateTime renewed() {
    return scene
        .client()
        .leases()
        .inNamespace(Scene.NAMESPACE)
        .withName(LEASE)
        .get()
        .getSpec()
        .getRenewTime();
  }

  private List<AuditLog.Request> writes() {
    return controlPlane.auditLog().requestsOf(USER).stream()
        .filter(AuditLog.Request::isMutating)
        .toList();
  }

  private String readiness() throws InterruptedException {
    URI address = addresses.readiness();
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(2)).build();
      return http.send(request, BodyHandlers.ofString()).body();
    } catch (IOException e) {
      return e.toString();
    }
  }

  private Path account() {
    scene
        .client()
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(USER)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .withSubjects(new Subject("rbac.authorization.k8s.io", "User", USER, null))
                .build())
        .serverSideApply();
    return controlPlane.kubeconfigForUser(USER);
  }
}
