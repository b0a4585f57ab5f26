package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Drivers of a ClusterPolicy come under an NVIDIADriver while workloads use them.
@WithControlPlane
class DriverAdoptionTest {
  /// Three nodes with two operating systems.
  private static final String NODES = "nvidiadriver-two-pools";

  /// Has the operating system of the first node, and is in no pool.
  private static final String LATER = "gpu-3";

  private static final String POLICY = "switch-to-nvidiadriver";
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int KILLED = 137;

  /// In the order in which an adoption comes by them.
  private static final List<String> KILL_POINTS =
      List.of(
          "patch:DaemonSet:1",
          "delete:DaemonSet:1",
          "delete:DaemonSet:2",
          "delete:DaemonSet:3",
          "patch:DaemonSet:3",
          "patch:Node:1",
          "patch:Pod:1",
          "patch:Pod:3",
          "apply:DaemonSet:1",
          "apply:DaemonSet:2",
          "status:NVIDIADriver:1");

  private Scene scene;
  private DriverPods drivers;
  private NvidiaDriver driver;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(NODES, controlPlane);
    drivers = new DriverPods(scene.client());
    driver = new NvidiaDriver(scene.client(), "default");
    scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario(POLICY)).awaitReady();
    scene.settle();
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void noDriverPodIsRestarted() throws InterruptedException {
    var before = drivers.uids();
    var installed = drivers.digests();
    assertThat(before).hasSize(3);

    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    await().atMost(LIMIT).until(() -> drivers.daemonSets().isEmpty());
    assertThat(drivers.uids()).isEqualTo(before);
    driver.create(",\"default\":true").awaitReady();
    scene.settle();

    System.out.println("driver pods by node, before:\n" + before);
    System.out.println("driver pods by node, after:\n" + drivers.uids());
    System.out.println("their DaemonSets:\n" + drivers.owners());
    assertAdopted(before);
    installed.forEach((node, digest) ->
        assertThat(sameDriver(node)).hasValue(digest + "=" + drivers.digests().get(node)));
  }

  @Test
  void aNodeThatIsSelectedLaterIsTakenOverAsItIs() throws InterruptedException {
    var before = drivers.uids();
    driver.create(",\"nodeSelector\":{\"pool\":\"a\"}");
    takeOverTheFirst();

    label(LATER, "a");
    awaitOwner(LATER);
    driver.awaitReady();
    scene.settle();

    assertThat(drivers.uids()).isEqualTo(before);
    assertThat(drivers.owners().get("gpu-2")).as("is nobody's yet").isEmpty();
    assertThat(sameDriver(LATER)).isPresent();
    assertThat(sameDriver("gpu-2")).isEmpty();
  }

  @Test
  void aNodeThatIsSelectedLaterAndHasAnotherDriverIsUpgraded() throws InterruptedException {
    var before = drivers.uids();
    driver.create(
        ",\"nodeSelector\":{\"pool\":\"a\"},\"kernelModuleType\":\"open\",\"upgradePolicy\":{\"autoUpgrade\":true}");
    takeOverTheFirst();

    label(LATER, "a");
    awaitOwner(LATER);
    driver.awaitReady();
    scene.settle();

    assertThat(drivers.uids().get(LATER)).isNotEqualTo(before.get(LATER));
    assertThat(drivers.uids().get("gpu-2")).isEqualTo(before.get("gpu-2"));
    assertThat(sameDriver(LATER)).isEmpty();
  }

  @Test
  void aPodThatWouldInstallSomethingElseStaysUntilItIsUpgraded() throws InterruptedException {
    var before = drivers.uids();

    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    driver.create(
        ",\"default\":true,\"kernelModuleType\":\"open\",\"upgradePolicy\":{\"autoUpgrade\":false}");
    driver.awaitError("DriverNotReady", "newest version on 0 of");
    scene.settle();

    assertThat(drivers.uids()).isEqualTo(before);
    assertThat(drivers.owners().values()).allMatch(owner -> owner.startsWith("nvidia-gpu-driver-"));
    assertThat(before.keySet()).allMatch(node -> sameDriver(node).isEmpty());

    driver.edit("{\"spec\":{\"upgradePolicy\":{\"autoUpgrade\":true}}}");
    driver.awaitReady();
    assertThat(drivers.uids().values()).doesNotContainAnyElementsOf(before.values());
  }

  @Test
  void takenBackFromNvidiaDriversDriversRunOnUntilTheseAreDeleted() throws InterruptedException {
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    driver.create(",\"default\":true").awaitReady();
    scene.settle();
    var before = drivers.uids();

    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":false}}");
    driver.awaitCondition("Error", "Reconciled", "useNvidiaDriverCRD is not enabled");
    await()
        .atMost(LIMIT)
        .until(() ->
            drivers.daemonSetNames().stream()
                .anyMatch(name -> name.startsWith("nvidia-driver-daemonset")));
    scene.settle();
    assertThat(drivers.uids()).isEqualTo(before);

    driver.delete();
    awaitPolicysDrivers();
  }

  @Test
  void whateverWriteWasTheLastTheNextOperatorFinishesTheAdoption()
      throws IOException, InterruptedException {
    var undisturbed = adoption("");
    var hit = new ArrayList<String>();
    for (String point : KILL_POINTS) {
      goBack();
      hit.add(point);
      assertThat(differences(undisturbed, adoption(point))).as(point).isEmpty();
      System.out.println("killed after " + point + ": the same end, no pod restarted");
    }
    assertThat(hit).isEqualTo(KILL_POINTS);
  }

  /// @param killPoint the write that the first operator does not survive; empty for none
  /// @return the facts at the end
  private ObjectNode adoption(String killPoint) throws IOException, InterruptedException {
    var before = drivers.uids();
    scene.stopOperators();
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    driver.create(",\"default\":true");
    if (!killPoint.isEmpty()) {
      assertThat(scene.begin(Launch.killedAfter(killPoint)).awaitEnd(LIMIT))
          .as("an operator that should be killed after %s", killPoint)
          .hasValue(KILLED);
    }
    scene.start(Launch.PLAIN);
    driver.awaitReady();
    scene.policy().awaitReady();
    var facts = scene.settle();
    assertAdopted(before);
    return facts;
  }

  private void goBack() throws InterruptedException {
    driver.delete();
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":false}}");
    awaitPolicysDrivers();
    scene.policy().awaitReady();
    scene.settle();
  }

  private void awaitPolicysDrivers() {
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(drivers.owners().values())
                .hasSize(3)
                .allMatch(owner -> owner.startsWith("nvidia-driver-daemonset")));
  }

  private void assertAdopted(SortedMap<String, String> before) {
    assertThat(drivers.uids()).as("pods by node").isEqualTo(before);
    assertThat(drivers.owners().values())
        .as("DaemonSets")
        .allMatch(owner -> owner.startsWith("nvidia-gpu-driver-ubuntu"));
    assertThat(drivers.digests().values())
        .as("digests that count, beside those of the DaemonSets")
        .containsAll(drivers.daemonSets().stream().map(drivers::digestOf).toList());
  }

  /// The DaemonSet of its operating system is there before the later node is selected.
  private void takeOverTheFirst() {
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    awaitOwner("gpu-1");
    driver.awaitReady();
    assertThat(drivers.owners().get(LATER)).isEmpty();
  }

  private void awaitOwner(String node) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(drivers.owners().get(node)).startsWith("nvidia-gpu-driver-ubuntu22.04"));
  }

  private void label(String node, String pool) {
    String patch = "{\"metadata\":{\"labels\":{\"pool\":\"%s\"}}}".formatted(pool);
    scene.client().nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /// What the agent of a node is told of the digest that its driver has left there.
  private Optional<String> sameDriver(String node) {
    return Optional.ofNullable(
        scene
            .client()
            .nodes()
            .withName(node)
            .require()
            .getMetadata()
            .getAnnotations()
            .get(SameDriver.ANNOTATION));
  }

  private static List<?> differences(ObjectNode expected, ObjectNode actual) {
    return new FactComparison("", IgnoreFile.none()).compare(expected, actual).differences();
  }
}
