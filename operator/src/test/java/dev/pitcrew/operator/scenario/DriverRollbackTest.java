package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A driver that fails on the canary is rolled back, and no other node gets it: not those of the
/// same system, nor one of another system, which has a DaemonSet of its own. Drivers of version 666
/// never come up.
class DriverRollbackTest extends UpgradeTest {
  // Test budget 150 s: each of its 6 kills costs the start of an operator and a driver that fails.
  private static final int NODES = 4;
  private static final int DRIVER_WRITES = 6;
  private static final String DAEMON_SET = "nvidia-driver-daemonset";
  private static final String OTHER_DAEMON_SET = DAEMON_SET + "-ubuntu24.04";
  private static final String OTHER_NODE = UpgradeFleet.name(NODES);
  private static final String GOOD = "600.30.01";

  private Map<String, String> before = Map.of();

  @Override
  void enter() throws IOException, InterruptedException {
    scene.gate();
    install(NODES);
    policies.create();
    policies.edit(
        """
        {"agent": {"enabled": false},
         "rollout": {"canary": {"nodes": 1, "soakSeconds": 0}, "autoRollback": true}}
        """);
    fleet.label(OTHER_NODE, "feature.node.kubernetes.io/system-os_release.VERSION_ID", "\"24.04\"");
    want(GOOD);
    fleet.awaitDriver(GOOD);
    fleet.awaitDriver(GOOD + "-ubuntu24.04", Set.of(OTHER_NODE));
  }

  @Override
  String restoredVersion() {
    return GOOD;
  }

  @BeforeEach
  void look() {
    before = new DriverPods(client).uids();
  }

  @Test
  void aCanaryThatFailsGetsItsFormerDriverBack() {
    want("666.30.02");
    var canary = fleet.awaitSome("upgrade-failed");
    awaitFormerDriver(GOOD);
    var why = "is rolled back to its former driver: node " + canary + " failed";
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> assertThat(fleet.events(DAEMON_SET)).anyMatch(it -> it.contains(why)));
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
        .as("a later pass leaves what was rolled back as it is")
        .isEqualTo(generation);

    scene
        .policy()
        .edit(
            """
            {"daemonsets": {"tolerations": [
              {"key": "nvidia.com/gpu", "operator": "Exists"},
              {"key": "example.com/more", "operator": "Exists"}]}}
            """);
    await("what is no part of a driver")
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(daemonSet().getSpec().getTemplate().getSpec().getTolerations())
                .anyMatch(it -> it.getKey().equals("example.com/more")));
    assertThat(daemonSet().getSpec().getTemplate().getSpec().getContainers())
        .anyMatch(it -> it.getImage().contains(GOOD));

    want("600.30.03");
    fleet.awaitDriver("600.30.03");
    fleet.assertClean();
    scene.policy().awaitReady();

    // Its image may have been fixed; that it failed once counts no more.
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

  /// The operator applies both DaemonSets of drivers when another driver is wanted, notes on both
  /// that it failed, and applies both once more.
  @Test
  void nextOperator_finishesTheRollbackThatAnotherBegan() throws IOException, InterruptedException {
    for (int write = 1; write <= DRIVER_WRITES; write++) {
      String good = "600.31.0" + write;
      want(good);
      fleet.awaitDriver(good);
      scene.settle();
      before = new DriverPods(client).uids();
      fleet.begin();

      var held = scene.gate().hold("update DaemonSet", write);
      want("666.31.0" + write);
      scene.killWhile(held, write % 2 == 0);
      scene.start(Launch.PLAIN);

      awaitFormerDriver(good);
    }
  }

  /// As one that has no former template, or that the API server does not let roll back.
  @Test
  void aDriverThatWasRejectedAndIsStillAskedForReachesNoNode() throws InterruptedException {
    reports.reportOn(OTHER_NODE);
    policies.edit("{\"rollout\": {\"paused\": true}}");
    want("600.30.05");
    fleet.awaitState(OTHER_NODE, "upgrade-required");
    reports.awaitWords(OTHER_NODE, "the roll-out is paused");
    String digest =
        Adoption.digestOf(daemonSet(OTHER_DAEMON_SET).getSpec().getTemplate().getSpec())
            .orElseThrow();
    String text = new Rollback(digest, "", "node x failed").text();
    note(annotations -> annotations.put(Rollback.ANNOTATION, text));
    policies.edit("{\"rollout\": {\"paused\": false}}");

    reports.awaitWords(OTHER_NODE, "the driver was rolled back: node x failed", OTHER_DAEMON_SET);
    System.out.println(reports.of(OTHER_NODE));
    fleet.awaitDriver(
        "600.30.05", Set.of(UpgradeFleet.name(1), UpgradeFleet.name(2), UpgradeFleet.name(3)));
    scene.settle();
    assertThat(new DriverPods(client).uids()).containsEntry(OTHER_NODE, before.get(OTHER_NODE));

    note(annotations -> annotations.remove(Rollback.ANNOTATION));
    fleet.awaitDriver("600.30.05");
    fleet.assertClean();
  }

  private void note(Consumer<Map<String, String>> change) {
    client
        .resource(daemonSet(OTHER_DAEMON_SET))
        .edit(daemonSet -> {
          change.accept(daemonSet.getMetadata().getAnnotations());
          return daemonSet;
        });
  }

  private void want(String version) {
    scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));
  }

  /// Some node had the new driver, and none has it any more.
  private void awaitFormerDriver(String former) {
    for (String name : List.of(DAEMON_SET, OTHER_DAEMON_SET)) {
      await(name + " is rolled back")
          .atMost(UpgradeFleet.LIMIT)
          .until(() ->
              daemonSet(name).getMetadata().getAnnotations().containsKey(Rollback.ANNOTATION));
    }
    fleet.awaitDriver(former);
    fleet.assertClean();
    assertThat(fleet.mostCordoned()).isEqualTo(1);
    assertThat(new DriverPods(client).uids().entrySet())
        .as("no node but the canary got another driver pod")
        .filteredOn(pod -> !before.entrySet().contains(pod))
        .hasSize(1);
  }

  private DaemonSet daemonSet() {
    return daemonSet(DAEMON_SET);
  }

  private DaemonSet daemonSet(String name) {
    return find(name).orElseThrow();
  }

  private Optional<DaemonSet> find(String name) {
    return Optional.ofNullable(
        client.apps().daemonSets().inNamespace(Scene.NAMESPACE).withName(name).get());
  }
}
