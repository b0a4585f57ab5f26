// Test budget 180 s: leases are looked for every 30 s, and one runs out.
package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The NVIDIA GPU Operator is started in another namespace beside ours. It looks at no lease but
/// its own, and at each reconcile it sets what it makes of the policy: its lease and its writes of
/// the status are played here, as RealReferenceTest has seen them.
@WithControlPlane
class BesideReferenceTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String NAMESPACE = "gpu-operator-beside";
  private static final String LEASE = "53822513.nvidia.com";
  private static final int LEASE_SECONDS = 15;
  private static final int RECONCILES = 20;
  private static final Duration BETWEEN_RECONCILES = Duration.ofSeconds(1);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final String STATUS =
      """
      {"status": {"state": "ready", "conditions": [
        {"type": "Ready", "status": "True", "reason": "Reconciled", "lastTransitionTime": "%s",
         "message": "ClusterPolicy is ready as all resources have been successfully reconciled"},
        {"type": "Error", "status": "False", "reason": "Ready", "lastTransitionTime": "%s",
         "message": ""}]}}
      """;

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
    scene
        .client()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
  }

  @AfterEach
  void leave() {
    scene.client().namespaces().withName(NAMESPACE).delete();
    scene.close();
  }

  @Test
  void anotherOperatorIsReported_andItsStatusIsNotFoughtOver()
      throws IOException, InterruptedException {
    scene.start(Launch.replica("first"));
    scene.policy().create(Scene.scenario(SCENARIO)).awaitReady();
    await()
        .atMost(LIMIT)
        .pollInterval(BETWEEN_RECONCILES)
        .untilAsserted(() -> {
          renewLease();
          assertThat(scene.policy().messageOf("Error"))
              .contains("another GPU operator acts on this cluster, that in namespace " + NAMESPACE)
              .contains("helm list -A");
        });

    var begin = Instant.now();
    var reconciles = new AtomicInteger();
    await()
        .atMost(LIMIT)
        .pollInterval(BETWEEN_RECONCILES)
        .until(() -> {
          renewLease();
          writeStatus();
          return reconciles.incrementAndGet() == RECONCILES;
        });

    assertThat(scene.writes().since(begin).getOrDefault("status:ClusterPolicy", 0))
        .isBetween(1, RECONCILES / 2);
    assertThat(scene.policy().notes("Warning"))
        .filteredOn(note -> note.contains("another GPU operator"))
        .hasSize(1);
    scene.policy().awaitReady(); // the lease runs out
    assertThat(scene.policy().messageOf("Error")).isEmpty();
  }

  private void renewLease() {
    scene
        .client()
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(LEASE)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("reference")
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                .endSpec()
                .build())
        .forceConflicts()
        .serverSideApply();
  }

  private void writeStatus() {
    var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    scene
        .client()
        .genericKubernetesResources("nvidia.com/v1", "ClusterPolicy")
        .withName("cluster-policy")
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), STATUS.formatted(now, now));
  }
}
