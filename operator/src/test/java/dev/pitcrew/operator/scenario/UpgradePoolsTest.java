package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// New drivers of NVIDIADrivers, each with an upgrade policy of its own, and of kernels that each
/// have an image of their own.
class UpgradePoolsTest extends UpgradeTest {
  private static final String FOURTH = UpgradeFleet.name(4);
  private static final String KERNEL = "feature.node.kubernetes.io/kernel-version.full";
  private static final String FORMER = "595.91.07";

  @Override
  void enter() throws IOException, InterruptedException {
    fleet.grow(4);
    fleet.label(FIRST, "team", "\"red\"");
    fleet.label(SECOND, "team", "\"red\"");
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
  void eachPoolHasItsOwnPolicyAndBudget() throws InterruptedException {
    driver("red", ",\"nodeSelector\":{\"team\":\"red\"}" + policy(true, 1));
    driver("default", ",\"default\":true" + policy(false, 1));
    fleet.awaitDriver(FORMER, Set.of(FIRST, SECOND));
    var before =
        await("a driver on each node")
            .atMost(UpgradeFleet.LIMIT)
            .until(drivers()::uids, uids -> uids.size() == 4);

    edit("red", "600.50.01");
    edit("default", "600.50.02");
    fleet.awaitDriver("600.50.01", Set.of(FIRST, SECOND));
    assertThat(fleet.mostDown()).isEqualTo(1);
    assertThat(drivers().uids())
        .containsEntry(THIRD, before.get(THIRD))
        .containsEntry(FOURTH, before.get(FOURTH));

    scene.settle();
    new NvidiaDriver(client, "default")
        .edit("{\"spec\":{\"upgradePolicy\":{\"autoUpgrade\":true,\"maxParallelUpgrades\":2}}}");
    fleet.awaitDriver("600.50.02", Set.of(THIRD, FOURTH));
    assertThat(fleet.mostDown()).isBetween(1, 2);
    fleet.assertClean();
  }

  @Test
  void aNodeThatTwoSelectIsTouchedByNeither() throws InterruptedException {
    driver("red", ",\"nodeSelector\":{\"team\":\"red\"}" + policy(true, 0));
    driver("old", ",\"nodeSelector\":{\"age\":\"old\"}" + policy(true, 0));
    fleet.label(THIRD, "age", "\"old\"");
    fleet.awaitDriver(FORMER, Set.of(FIRST, SECOND, THIRD));
    fleet.label(FIRST, "age", "\"old\"");
    var words = "multiple NVIDIADrivers match the same node " + FIRST + ": [old red]";
    driver("red").awaitError("ConflictingNodeSelector", words);
    driver("old").awaitError("ConflictingNodeSelector", words);
    var before = drivers().uids();

    edit("red", "600.50.03");
    edit("old", "600.50.04");
    driver("red").awaitError("ConflictingNodeSelector", words);
    driver("old").awaitError("ConflictingNodeSelector", words);
    scene.settle();
    assertThat(drivers().uids()).isEqualTo(before);
    assertThat(fleet.mostDown()).isZero();

    fleet.label(FIRST, "age", "null");
    fleet.awaitDriver("600.50.03", Set.of(FIRST, SECOND));
    fleet.awaitDriver("600.50.04", Set.of(THIRD));
    fleet.assertClean();
  }

  @Test
  void aKernelThatChangesDuringTheRollOutGetsItsOwnDriver() {
    driver("default", ",\"default\":true,\"usePrecompiled\":true" + policy(true, 1));
    fleet.awaitDriver(FORMER);
    training.start("pinned", 1);
    training.pin("pinned");
    var held = training.pods("pinned").getFirst().getSpec().getNodeName();
    var other = held.equals(FOURTH) ? THIRD : FOURTH;
    edit("default", "600.50.05");
    fleet.awaitState(held, "pod-deletion-required");
    scene.policy().awaitState("notReady", UpgradeFleet.LIMIT);
    assertThat(scene.policy().messageOf("Error"))
        .contains("NVIDIADriver upgrade has not completed");

    fleet.label(other, KERNEL, "\"5.15.0-99-generic\"");
    fleet.label(held, KERNEL, "\"5.15.0-99-generic\"");
    training.unpin();
    fleet.awaitDriver("600.50.05");

    assertThat(fleet.drivers().get(held)).contains("5.15.0-99-generic");
    assertThat(fleet.drivers().get(other)).contains("5.15.0-99-generic");
    scene.policy().awaitState("ready", UpgradeFleet.LIMIT);
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  private NvidiaDriver driver(String name) {
    return new NvidiaDriver(client, name);
  }

  private void driver(String name, String more) {
    driver(name).create(more);
  }

  private void edit(String name, String version) {
    driver(name).edit("{\"spec\":{\"version\":\"%s\"}}".formatted(version));
  }

  private static String policy(boolean automatic, int parallel) {
    return ",\"upgradePolicy\":{\"autoUpgrade\":%s,\"maxParallelUpgrades\":%d,\"maxUnavailable\":\"100%%\"}"
        .formatted(automatic, parallel);
  }
}
