package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An operator is killed in each write of the life of a ComputeDomain, which lands or is lost in
/// turns; the next one continues, and nothing is left when the domain is deleted.
@WithControlPlane
class ComputeDomainKillTest {
  // Test budget 150 s: each of its 13 kills costs the start of an operator.
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// In the order in which they are sent.
  private static final List<String> CREATION =
      List.of(
          "update ComputeDomain",
          "create ResourceClaimTemplate",
          "create DaemonSet",
          "create ResourceClaimTemplate",
          "update ComputeDomain/status");

  private static final List<String> DELETION =
      List.of(
          "delete ResourceClaimTemplate",
          "delete ResourceClaimTemplate",
          "delete DaemonSet",
          "update Node",
          "update ResourceClaimTemplate",
          "update ResourceClaimTemplate",
          "update DaemonSet",
          "update ComputeDomain");

  private Scene scene;
  private FleetPolicies fleet;
  private DomainFabric fabric;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
    fleet = new FleetPolicies(scene.client());
    fabric = new DomainFabric(scene.client());
    fabric.create();
    scene.gate();
    fleet.createWithoutAgent();
    fleet.edit(DomainFabric.ORDER);
    scene.start(Launch.PLAIN);
  }

  @AfterEach
  void leave() {
    try (var _ = scene) {
      fleet.delete();
      fabric.delete();
    }
  }

  @Test
  void theNextOperatorContinues() throws IOException, InterruptedException {
    killAtEach(CREATION, () -> fabric.createDomain("dom", 2, "dom-channel"));
    var uid = fabric.domain("dom").require().getMetadata().getUid();
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(fabric.remains(uid))
                .containsExactly(
                    "ComputeDomain dom",
                    "ResourceClaimTemplate dom-channel",
                    "ResourceClaimTemplate computedomain-daemon-" + uid,
                    "DaemonSet computedomain-daemon-" + uid));
    DomainFabric.NODES.forEach(node -> fabric.label(node, uid));
    DomainFabric.NODES.forEach(node -> fabric.report(node, uid, "Ready"));
    await().atMost(LIMIT).until(() -> fabric.status("dom").path("status").asText().equals("Ready"));

    killAtEach(DELETION, () -> fabric.domain("dom").delete());
    await().atMost(LIMIT).untilAsserted(() -> assertThat(fabric.remains(uid)).isEmpty());
  }

  /// What is lost is sent again, so that no write of the table is left out.
  private void killAtEach(List<String> sorts, Runnable change)
      throws IOException, InterruptedException {
    for (int i = 0; i < sorts.size(); i++) {
      var held = scene.gate().hold(sorts.get(i));
      if (i == 0) {
        change.run();
      } else {
        scene.begin(Launch.PLAIN);
      }
      scene.killWhile(held, i % 2 == 1);
    }
    scene.start(Launch.PLAIN);
  }
}
