package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A driver that fails on the canary is taken back, on no other node than that. Drivers of version
/// 666 never come up.
class DriverRollbackTest extends UpgradeTest {
  private static final int KILLED = 137;
  private static final int NODES = 4;
  private static final String DAEMON_SET = "nvidia-driver-daemonset";
  private static final String GOOD = "600.30.01";

  @BeforeEach
  void enter() throws IOException, InterruptedException {
    install(NODES);
    policies.create();
    policies.edit(
        """
        {"agent": {"enabled": false},
         "rollout": {"canary": {"nodes": 1, "soakSeconds": 0}, "autoRollback": true}}
        """);
    want(GOOD);
    fleet.awaitDriver(GOOD);
  }

  @Test
  void aCanaryThatFailsGetsItsFormerDriverBack() {
    want("666.30.02");
    var canary = fleet.awaitSome("upgrade-failed");
    awaitFormerDriver();
    var why = "goes back to its former driver: node " + canary + " failed";
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> assertThat(fleet.told(DAEMON_SET)).anyMatch(it -> it.contains(why)));
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(scene.policy().messageOf("Error"))
                .contains("has its former driver", GOOD, "since", "666.30.02", canary));
    long generation = daemonSet().getMetadata().getGeneration();
    System.out.println(scene.policy().messageOf("Error"));

    scene.policy().edit("{\"dcgm\": {\"enabled\": true}}");
    await().atMost(UpgradeFleet.LIMIT).until(() -> find("nvidia-dcgm").isPresent());
    assertThat(daemonSet().getMetadata().getGeneration())
        .as("a later pass leaves what was taken back as it is")
        .isEqualTo(generation);

    want("600.30.03");
    fleet.awaitDriver("600.30.03");
    fleet.assertClean();
    scene.policy().awaitReady();

    // Its image may have been mended; that it failed once counts no more.
    want("666.30.02");
    fleet.awaitSome("upgrade-failed");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(scene.policy().messageOf("Error"))
                .contains("has its former driver", "600.30.03", "since", "666.30.02"));
    fleet.awaitDriver("600.30.03");
    fleet.assertClean();
  }

  /// After the edit, the driver's DaemonSet is applied for the first time with the new driver, and
  /// for the second with the old one.
  @ParameterizedTest
  @ValueSource(strings = {"apply:DaemonSet:1", "patch:DaemonSet:1", "apply:DaemonSet:2"})
  void theNextOperatorTakesBackWhatAnotherBeganToTakeBack(String point)
      throws IOException, InterruptedException {
    scene.stopOperators();
    want("666.30.04");

    var killed = scene.begin(Launch.killedAfter(point));
    assertThat(killed.awaitEnd(UpgradeFleet.LIMIT)).as(point).hasValue(KILLED);
    scene.start(Launch.PLAIN);

    awaitFormerDriver();
  }

  private void want(String version) {
    scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));
  }

  /// Some node had the new driver, and none has it any more.
  private void awaitFormerDriver() {
    await()
        .atMost(UpgradeFleet.LIMIT)
        .until(() ->
            daemonSet().getMetadata().getAnnotations().containsKey("pitcrew.dev/driver-rollback"));
    fleet.awaitDriver(GOOD);
    fleet.assertClean();
    assertThat(fleet.mostCordoned()).isEqualTo(1);
  }

  private DaemonSet daemonSet() {
    return find(DAEMON_SET).orElseThrow();
  }

  private Optional<DaemonSet> find(String name) {
    return Optional.ofNullable(
        client.apps().daemonSets().inNamespace(Scene.NAMESPACE).withName(name).get());
  }
}
