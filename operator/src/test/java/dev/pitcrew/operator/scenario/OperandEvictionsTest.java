package dev.pitcrew.operator.scenario;

import static dev.pitcrew.operator.scenario.OperandAccounts.OTHER;
import static dev.pitcrew.operator.scenario.OperandAccounts.TENANT;
import static dev.pitcrew.operator.scenario.OperandAttempts.eviction;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Where the operator upgrades no drivers, NVIDIA's driver manager evicts the pods of its node.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class OperandEvictionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Values WITHOUT_UPGRADES =
      new Values(
          "{fleetPolicy: {agent: {enabled: false}}, driver: {upgradePolicy: {autoUpgrade: false}}}");

  private final ControlPlane controlPlane;
  private OperandAccounts accounts;
  private int probes;

  OperandEvictionsTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeAll
  void enter() throws IOException, InterruptedException {
    accounts = OperandAccounts.on(controlPlane, WITHOUT_UPGRADES);
    await("the API server to know the policy")
        .pollInterval(Duration.ofMillis(300))
        .atMost(LIMIT)
        .untilAsserted(() -> {
          var probe = "probe-" + probes++;
          accounts.pod(TENANT, probe, OTHER);
          assertThat(eviction(TENANT, probe).answerTo(accounts.as("nvidia-driver")))
              .contains("pitcrew-operand-evictions");
        });
  }

  @AfterAll
  void leave() {
    accounts.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nvidia-driver", "nvidia-vgpu-manager", "nvidia-vfio-manager"})
  void podsOfOtherNodesStay(String account) {
    for (var namespace : new String[] {TENANT, "kube-system", Scene.NAMESPACE}) {
      assertThat(eviction(namespace, "there").answerTo(accounts.as(account)))
          .contains(
              "%s on mine may evict pods of mine only, and not %s/there"
                  .formatted(account, namespace));
    }
  }

  @Test
  void podsOfTheOwnNodeGo() {
    assertThat(eviction(TENANT, "here").answerTo(accounts.as("nvidia-driver"))).isEmpty();
    var pod = accounts.admin().pods().inNamespace(TENANT).withName("here").get();
    assertThat(pod == null || pod.getMetadata().getDeletionTimestamp() != null).isTrue();
  }

  @Test
  void aPodThatIsGoneIsSaidToBeGone() {
    assertThat(eviction("kube-public", "missing").answerTo(accounts.as("nvidia-driver")))
        .contains("not found");
  }

  @Test
  void othersEvictAsBefore() {
    accounts.pod("kube-system", "drained", OTHER);

    assertThat(eviction("kube-system", "drained").answerTo(accounts.admin())).isEmpty();
  }
}
