package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// What goes wrong in one pool of nodes while NVIDIADrivers bring new drivers: the other pools go
/// on, and the one halts with a reason until it is repaired.
class UpgradePoolFaultsTest extends UpgradeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String KERNEL = "feature.node.kubernetes.io/kernel-version.full";
  private static final String NO_IMAGE = "\"6.8.0-404-generic\"";
  private static final String VERSION_ID =
      "feature.node.kubernetes.io/system-os_release.VERSION_ID";
  private static final String FORMER = "595.91.07";
  private static final String PRECOMPILED = ",\"default\":true,\"usePrecompiled\":true";

  @Override
  void enter() throws IOException, InterruptedException {
    fleet.grow(3);
    scene.startForNvidiaDrivers();
  }

  private DriverPods drivers() {
    return new DriverPods(client);
  }

  /// The NVIDIADrivers of a test are deleted before.
  @Override
  void awaitRestored() {
    fleet.awaitNoDriver();
  }

  @Test
  void withThePreflightNoNodeOfTheKernelWithoutAnImageIsTouched() throws InterruptedException {
    policies.create();
    policies.edit("{\"agent\": {\"enabled\": false}, \"rollout\": {\"preflight\": true}}");
    fleet.label(THIRD, KERNEL, NO_IMAGE);
    driver("default", PRECOMPILED + limits(0, "\"100%\""));
    fleet.awaitDriver(FORMER);
    reports.reportOn(THIRD);

    edit("default", "604");
    fleet.awaitDriver(":604-", Set.of(FIRST, SECOND));
    reports.awaitWords(
        THIRD,
        "driver:604-6.8.0-404-generic-ubuntu22.04 for kernel 6.8.0-404-generic cannot be pulled",
        "set spec.version to one that has it, or spec.usePrecompiled to false");
    System.out.println(reports.of(THIRD));
    scene.settle();
    assertThat(fleet.states()).containsEntry(THIRD, "upgrade-required");
    assertThat(fleet.drivers().get(THIRD)).contains(FORMER);
    assertThat(fleet.node(THIRD).getSpec().getUnschedulable()).isNotEqualTo(true);

    kubelets.pull(preflight());
    fleet.awaitState(THIRD, "pod-restart-required");
    kubelets.pull(newDriver(THIRD, ":604-"));
    fleet.awaitDriver(":604-");
    fleet.assertClean();
  }

  @Test
  void withoutThePreflightTheKernelWithoutAnImageFailsAloneAndGoesOnOnceItIsThere() {
    fleet.label(FIRST, KERNEL, NO_IMAGE);
    driver("default", PRECOMPILED + limits(1, "2"));
    fleet.awaitDriver(FORMER);
    reports.reportOn(FIRST);

    edit("default", "604");
    fleet.awaitState(FIRST, "pod-restart-required");
    reports.awaitWords(FIRST, "ImagePullBackOff", "driver:604-6.8.0-404-generic-ubuntu22.04");
    var pod = newDriver(FIRST, ":604-");
    kubelets.backdate(FIRST, Duration.ofMinutes(31));
    fleet.awaitState(FIRST, "upgrade-failed");
    reports.awaitWords(
        FIRST, "driver:604-6.8.0-404-generic-ubuntu22.04", "the node stays cordoned");
    System.out.println(reports.of(FIRST));
    fleet.awaitDriver(":604-", Set.of(SECOND, THIRD));
    assertThat(fleet.mostDown()).isEqualTo(2);

    kubelets.pull(pod);
    fleet.awaitDriver(":604-");
    fleet.assertClean();
  }

  @Test
  void aKernelThatJoinsDuringTheRollOutHasItsNewDriverAtOnce() {
    driver("default", PRECOMPILED + limits(1, "1"));
    fleet.awaitDriver(FORMER);
    training.pinTo(FIRST);
    edit("default", "605");
    fleet.awaitState(FIRST, "pod-deletion-required");

    fleet.join(4);
    fleet.label(UpgradeFleet.name(4), KERNEL, "\"6.8.0-31-generic\"");
    fleet.awaitDriver(":605-6.8.0-31-generic", Set.of(UpgradeFleet.name(4)));
    assertThat(fleet.states()).containsEntry(FIRST, "pod-deletion-required");

    training.unpin();
    fleet.awaitDriver(":605-");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aLabelOfThePoolThatIsRemovedMidUpgradeIsNamedAndItsReturnHeals() {
    driver("default", ",\"default\":true" + limits(1, "1"));
    fleet.awaitDriver(FORMER);
    training.pinTo(FIRST);
    reports.reportOn(FIRST);
    edit("default", "600.70.01");
    fleet.awaitState(FIRST, "pod-deletion-required");

    fleet.label(FIRST, VERSION_ID, "null");
    training.unpin();
    fleet.awaitState(FIRST, "pod-restart-required");
    reports.awaitWords(FIRST, "no driver pod", "labels");
    System.out.println(reports.of(FIRST));

    fleet.label(FIRST, VERSION_ID, "\"22.04\"");
    fleet.awaitDriver("600.70.01");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatASecondDriverSelectsMidUpgradeIsFinishedByTheFirst() {
    driver("default", ",\"default\":true" + limits(1, "1"));
    fleet.label(FIRST, "team", "\"red\"");
    driver("red", ",\"nodeSelector\":{\"team\":\"red\"}" + limits(1, "1"));
    fleet.awaitDriver(FORMER);
    training.pinTo(FIRST);
    edit("red", "600.70.02");
    fleet.awaitState(FIRST, "pod-deletion-required");

    fleet.label(FIRST, "age", "\"old\"");
    driver("old", ",\"nodeSelector\":{\"age\":\"old\"}" + limits(1, "1"));
    var words = "multiple NVIDIADrivers match the same node " + FIRST + ": [old red]";
    new NvidiaDriver(client, "red").awaitError("ConflictingNodeSelector", words);
    new NvidiaDriver(client, "old").awaitError("ConflictingNodeSelector", words);
    training.unpin();
    fleet.awaitDriver("600.70.02", Set.of(FIRST));

    fleet.label(FIRST, "age", "null");
    fleet.assertClean();
    assertThat(fleet.drivers()).containsEntry(SECOND, fleet.drivers().get(THIRD));
  }

  @Test
  void anNvidiaDriverThatIsDeletedMidUpgradeLeavesItsNodesToTheDefault() {
    driver("default", ",\"default\":true" + limits(1, "1"));
    fleet.label(FIRST, "team", "\"red\"");
    driver("red", ",\"nodeSelector\":{\"team\":\"red\"}" + limits(1, "1"));
    fleet.awaitDriver(FORMER);
    training.pinTo(FIRST);
    edit("red", "600.70.03");
    fleet.awaitState(FIRST, "pod-deletion-required");

    new NvidiaDriver(client, "red").delete();
    training.unpin();
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> assertThat(drivers().owners().get(FIRST)).contains("ubuntu22.04"));
    fleet.awaitDriver(FORMER);
    fleet.assertClean();
  }

  @Test
  void twoDriversAreShownEachWithItsPolicyItsVersionsAndItsTrouble()
      throws IOException, InterruptedException {
    driver("red", ",\"nodeSelector\":{\"team\":\"red\"}" + limits(2, "\"100%\""));
    driver("default", ",\"default\":true" + limits(1, "1"));
    fleet.label(FIRST, "team", "\"red\"");
    fleet.awaitDriver(FORMER);
    scene.settle();
    var reader = RolloutRuns.ofReader(scene.controlPlane());

    var both = reader.run("plan", "--version", "600.70.10");
    System.out.println(both.text());
    assertThat(both.text())
        .contains(
            "NVIDIADriver default: 2 nodes with a driver, 2 of them in this roll-out; at most 1")
        .contains("NVIDIADriver red: 1 nodes with a driver, 1 of them in this roll-out; at most 2");
    var red = reader.run("plan", "--nvidia-driver", "red", "--version", "600.70.10", "-o", "json");
    var plan = JSON.readTree(red.text());
    assertThat(plan).hasSize(1);
    assertThat(plan.at("/0/source").asText()).isEqualTo("NVIDIADriver red");
    assertThat(plan.at("/0/plan/0/node").asText()).isEqualTo(FIRST);
    assertThat(plan.at("/0/plan/0/driver").asText()).isEqualTo(FORMER);
    var unknown = reader.run("plan", "--nvidia-driver", "blue");
    assertThat(unknown.exitCode()).isEqualTo(1);
    assertThat(unknown.text()).contains("There is no NVIDIADriver blue");

    edit("red", "600.70.11");
    edit("default", "600.70.12");
    var watched = reader.run("status", "--watch");
    System.out.println(watched.text());
    assertThat(watched.exitCode()).isZero();
    assertThat(watched.text())
        .contains("NVIDIADriver red: 1 of 1 nodes done")
        .contains("NVIDIADriver default: 2 of 2 nodes done");
    fleet.awaitDriver("600.70.11", Set.of(FIRST));
    fleet.awaitDriver("600.70.12", Set.of(SECOND, THIRD));

    driver("old", ",\"nodeSelector\":{\"team\":\"red\"}" + limits(1, "1"));
    new NvidiaDriver(client, "red").awaitError("ConflictingNodeSelector", FIRST);
    edit("red", "600.70.13");
    var refused = reader.run("status", "--watch", "--nvidia-driver", "red");
    System.out.println(refused.text());
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.text())
        .contains("not carried out: multiple NVIDIADrivers match the same node " + FIRST);
  }

  private void driver(String name, String more) {
    new NvidiaDriver(client, name).create(more);
  }

  private void edit(String name, String version) {
    new NvidiaDriver(client, name).edit("{\"spec\":{\"version\":\"%s\"}}".formatted(version));
  }

  private Pod preflight() {
    return client
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "nvidia-driver-preflight")
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getSpec().getNodeName().equals(THIRD))
        .findFirst()
        .orElseThrow();
  }

  /// The driver pod of a node, once it is of this version and the kubelet has looked for its image.
  private Pod newDriver(String node, String version) {
    return await()
        .atMost(UpgradeFleet.LIMIT)
        .until(
            () -> fleet.driver(node).orElse(null),
            pod ->
                pod != null
                    && pod.getSpec().getContainers().getFirst().getImage().contains(version)
                    && !pod.getStatus().getContainerStatuses().isEmpty());
  }

  private static String limits(int parallel, String unavailable) {
    return ",\"upgradePolicy\":{\"autoUpgrade\":true,\"maxParallelUpgrades\":%d,\"maxUnavailable\":%s}"
        .formatted(parallel, unavailable);
  }
}
