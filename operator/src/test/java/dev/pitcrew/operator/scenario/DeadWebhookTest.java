package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A webhook that is down fails writes of the operator: the ClusterPolicy says so, and is ready
/// again automatically once the webhook has gone.
// Test budget 120 s: it waits for several attempts with growing pauses
@WithControlPlane
class DeadWebhookTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String EXPORTER = "nvidia-dcgm-exporter";
  private static final int SERVER_ERROR = 500;
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private Scene scene;
  private OperatorAddresses addresses;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
    addresses = OperatorAddresses.free();
    scene.start(Launch.PLAIN, addresses);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void aReadyPolicyIsNotReadyWhileItsEditCannotBeApplied()
      throws IOException, InterruptedException {
    var policy = scene.policy().create(Scene.scenario(SCENARIO));
    policy.awaitReady();
    var before = scene.workloads().version(EXPORTER);

    try (var _ = DeadWebhook.of(scene, "")) {
      policy.edit("{\"dcgmExporter\":{\"version\":\"9.9.9\"}}");

      policy.awaitState("notReady", LIMIT);
      assertThat(policy.messageOf("Error"))
          .contains(
              "DaemonSet gpu-operator/" + EXPORTER,
              "failed calling webhook \"" + DeadWebhook.SERVICE,
              "`kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations`");
      assertThat(status()).isEqualTo("0.0");
      var failed = failedWrites();
      await().atMost(LIMIT).until(() -> failedWrites() > failed);
      assertThat(policy.notes("Warning")).containsOnlyOnce(policy.messageOf("Error"));
    }

    policy.awaitReady();
    assertThat(scene.workloads().version(EXPORTER)).isNotEqualTo(before);
    assertThat(status()).isEqualTo("1.0");
  }

  @Test
  void theOtherObjectsAreAppliedAllTheSame() throws IOException {
    Policy policy;
    try (var _ = DeadWebhook.of(scene, EXPORTER)) {
      policy = scene.policy().create(Scene.scenario(SCENARIO));

      policy.awaitError("DaemonSet gpu-operator/" + EXPORTER, DeadWebhook.SERVICE);
      await()
          .atMost(LIMIT)
          .until(() -> scene.workloads().versions().containsKey("nvidia-mig-manager"));
      assertThat(scene.workloads().versions()).doesNotContainKey(EXPORTER);
    }

    policy.awaitReady();
    assertThat(scene.workloads().versions()).containsKey(EXPORTER);
  }

  private long failedWrites() {
    return scene.controlPlane().auditLog().requestsOf(OperatorWrites.USER).stream()
        .filter(request -> request.name().equals(EXPORTER) && request.status() == SERVER_ERROR)
        .count();
  }

  /// The gauge that says how the last reconcile has ended.
  private String status() throws IOException, InterruptedException {
    try (var http = HttpClient.newHttpClient()) {
      var request = HttpRequest.newBuilder(addresses.metrics()).build();
      return http.send(request, BodyHandlers.ofString())
          .body()
          .lines()
          .filter(line -> line.startsWith("gpu_operator_reconciliation_status "))
          .map(line -> line.substring(line.lastIndexOf(' ') + 1))
          .findFirst()
          .orElseThrow();
    }
  }
}
