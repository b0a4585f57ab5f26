package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.operator.scenario.KillPoints.KillPoint;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Drivers of a ClusterPolicy come under an NVIDIADriver while workloads use them.
class DriverAdoptionTest extends SharedSceneTest {
  // Test budget 180 s: each of its 6 kills needs an adoption of its own, from the running drivers
  // on.
  /// Three nodes with two operating systems.
  private static final String NODES = "nvidiadriver-two-pools";

  /// Has the operating system of the first node, and is in no pool.
  private static final String LATER = "gpu-3";

  private static final String POLICY = "switch-to-nvidiadriver";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  /// In the order in which an adoption comes by them.
  private static final SequencedMap<String, List<Integer>> KILL_POINTS = new LinkedHashMap<>();

  static {
    KILL_POINTS.put("update DaemonSet", List.of(1));
    KILL_POINTS.put("delete DaemonSet", List.of(3));
    KILL_POINTS.put("update Node", List.of(1));
    KILL_POINTS.put("update Pod", List.of(3));
    KILL_POINTS.put("create DaemonSet", List.of(2));
    KILL_POINTS.put("update NVIDIADriver/status", List.of(1));
  }

  /// The operator is killed while it applies objects of the other sorts in [KillTest].
  private static final Set<String> SORTS =
      KillPoints.sorts(
          KILL_POINTS,
          "create ServiceAccount",
          "create Role",
          "create RoleBinding",
          "create ClusterRole",
          "create ClusterRoleBinding",
          "create Event",
          "update ConfigMap",
          "update ClusterPolicy/status");

  private DriverPods drivers;
  private NvidiaDriver driver;

  @Override
  void enter() throws IOException, InterruptedException {
    scene.gate();
    scene.stage().enter(Scene.scenario(NODES));
    scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario(POLICY)).awaitReady();
  }

  @BeforeEach
  void look() {
    drivers = new DriverPods(client);
    driver = new NvidiaDriver(client, "default");
  }

  @Override
  void undo() {
    NvidiaDriver.deleteAll(client);
    label(LATER, "pool", "null");
    awaitPolicysDrivers(); // and until then the operator writes the annotation again
    drivers.uids().keySet().forEach(node -> annotate(node, SameDriver.ANNOTATION, "null"));
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

    label(LATER, "pool", "\"a\"");
    awaitOwner(LATER);
    driver.awaitReady();
    scene.settle();

    assertThat(drivers.uids()).isEqualTo(before);
    assertThat(drivers.owners().get("gpu-2")).as("has no owner yet").isEmpty();
    assertThat(sameDriver(LATER)).isPresent();
    assertThat(sameDriver("gpu-2")).isEmpty();
  }

  @Test
  void aNodeThatIsSelectedLaterAndHasAnotherDriverIsUpgraded() throws InterruptedException {
    var before = drivers.uids();
    driver.create(
        ",\"nodeSelector\":{\"pool\":\"a\"},\"kernelModuleType\":\"open\",\"upgradePolicy\":{\"autoUpgrade\":true}");
    takeOverTheFirst();

    label(LATER, "pool", "\"a\"");
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
  void driversOfNvidiaDrivers_runOnAfterTheChangeBack_untilTheseAreDeleted()
      throws InterruptedException {
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
    var undisturbed = adoption(Optional.empty());
    var counts = scene.gate().counts();
    System.out.println("an undisturbed adoption: " + counts);
    assertThat(counts.keySet()).isEqualTo(SORTS);
    for (var point : KillPoints.of(KILL_POINTS, counts)) {
      useClusterPolicy();
      assertThat(differences(undisturbed, adoption(Optional.of(point))))
          .as(point.toString())
          .isEmpty();
      System.out.println("killed in the middle of " + point + ": the same end, no pod restarted");
    }
  }

  /// @param point the write that the running operator does not survive; empty for none
  /// @return the facts at the end
  private ObjectNode adoption(Optional<KillPoint> point) throws IOException, InterruptedException {
    var before = drivers.uids();
    driver.create(",\"default\":true");
    driver.awaitCondition("Error", "Reconciled", "useNvidiaDriverCRD is not enabled");
    scene.settle();
    scene.gate().forget();
    var held = point.map(it -> scene.gate().hold(it.sort(), it.number()));
    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    if (point.isPresent()) {
      scene.killWhile(held.orElseThrow(), point.get().lands());
      scene.start(Launch.PLAIN);
    }
    driver.awaitReady();
    scene.policy().awaitReady();
    var facts = scene.settle();
    assertAdopted(before);
    return facts;
  }

  private void useClusterPolicy() throws InterruptedException {
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

  private void label(String node, String key, String json) {
    patch(node, "{\"metadata\":{\"labels\":{\"%s\":%s}}}".formatted(key, json));
  }

  private void annotate(String node, String key, String json) {
    patch(node, "{\"metadata\":{\"annotations\":{\"%s\":%s}}}".formatted(key, json));
  }

  private void patch(String node, String patch) {
    client.nodes().withName(node).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /// What the operator reports to the agent of a node about the digest of its former driver.
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
