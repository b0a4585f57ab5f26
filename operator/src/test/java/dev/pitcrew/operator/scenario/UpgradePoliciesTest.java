package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// In the middle of a roll-out another writer interferes: a second policy, an NVIDIADriver, or a
/// hand on the labels of a node.
class UpgradePoliciesTest extends UpgradeTest {
  private static final String SCENARIO = "switch-to-nvidiadriver";
  private static final String DEPLOYED = "nvidia.com/gpu.deploy.driver";
  private static final String ONE =
      "\"upgradePolicy\":{\"autoUpgrade\":true,\"maxParallelUpgrades\":1,\"maxUnavailable\":1}";

  @Override
  void enter() throws IOException, InterruptedException {
    fleet.grow(3);
    scene.serve(SCENARIO);
    fleet.awaitDone();
  }

  @Override
  public void restore() throws IOException, InterruptedException {
    new Policy(client, "second-policy").delete();
    if (!scene.policy().isThere()) {
      scene.policy().create(Scene.scenario(SCENARIO));
    }
    super.restore();
  }

  @BeforeEach
  void pin() {
    training.pinTo(FIRST);
  }

  @Test
  void aSecondClusterPolicyHasNoSayWhileTheFirstIsThere() throws IOException {
    upgrade("600.80.01");

    var second = new Policy(client, "second-policy");
    second.create(Scene.scenario(SCENARIO));
    second.awaitState("ignored", UpgradeFleet.LIMIT);
    assertThat(second.messageOf("Error")).contains("cluster-policy").contains("delete");
    training.unpin();
    fleet.awaitDriver("600.80.01");
    assertThat(fleet.mostDown()).isEqualTo(1);

    scene.policy().delete();
    fleet.awaitDriver("595.91.07");
    fleet.assertClean();
  }

  @Test
  void anNvidiaDriverBesideTheClusterPolicysHasNoSayUntilItIsLeftTheDrivers() {
    upgrade("600.80.02");

    var driver = new NvidiaDriver(client, "default").create(",\"default\":true," + ONE);
    driver.awaitCondition("Error", "Reconciled", "useNvidiaDriverCRD is not enabled");
    driver.edit("{\"spec\":{\"version\":\"600.80.03\"}}");
    assertThat(fleet.states()).containsEntry(FIRST, "pod-deletion-required");

    scene.policy().edit("{\"driver\":{\"useNvidiaDriverCRD\":true}}");
    training.unpin();
    fleet.awaitDriver("600.80.03");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aDriverLabelThatIsTakenOffMidUpgradeComesBack() {
    upgrade("600.80.04");

    fleet.label(FIRST, DEPLOYED, "null");
    awaitLabel("true");
    training.unpin();
    fleet.awaitDriver("600.80.04");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatIsToHaveNoDriverMidUpgradeIsGivenBackAtOnce() {
    upgrade("600.80.05");

    fleet.label(FIRST, DEPLOYED, "\"false\"");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> {
          assertThat(fleet.states()).containsEntry(FIRST, "");
          assertThat(fleet.node(FIRST).getSpec().getUnschedulable()).isNotEqualTo(true);
        });
    fleet.awaitDriver("600.80.05", Set.of(SECOND, THIRD));
    assertThat(fleet.mostDown()).isEqualTo(1);

    training.unpin();
    fleet.label(FIRST, DEPLOYED, "null");
    fleet.awaitDriver("600.80.05");
    fleet.assertClean();
  }

  /// The DaemonSet controller calls the pods outdated. They are not replaced, since no upgrade is
  /// requested; they have the desired driver.
  @Test
  void aTemplateThatBringsNoOtherDriverLeavesThePolicyReady() {
    training.unpin();
    var before = new DriverPods(client).uids();

    scene
        .policy()
        .edit(
            """
            {"driver": {"upgradePolicy": {"autoUpgrade": false},
              "resources": {"requests": {"cpu": "100m"}}}}
            """);
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(new DriverPods(client).daemonSets())
                .isNotEmpty()
                .allMatch(it -> it.getStatus().getUpdatedNumberScheduled() == null));

    scene.policy().awaitReady();
    assertThat(new DriverPods(client).uids()).isEqualTo(before);
  }

  /// For a field that has nothing to do with drivers, and by an operator that has just started.
  @Test
  void aPolicyThatIsRefusedKeepsNoNodeFromGoingOn() throws IOException, InterruptedException {
    upgrade("600.80.06");

    scene.stopOperators();
    scene.policy().edit("{\"cdi\":{\"nriPluginEnabled\":true},\"toolkit\":{\"enabled\":false}}");
    scene.start(Launch.PLAIN);
    training.unpin();
    fleet.awaitDriver("600.80.06");

    assertThat(scene.policy().messageOf("Error")).contains("spec.cdi.nriPluginEnabled");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  private void upgrade(String version) {
    scene.policy().edit("{\"driver\":{\"version\":\"%s\",%s}}".formatted(version, ONE));
    fleet.awaitState(FIRST, "pod-deletion-required");
  }

  private void awaitLabel(String value) {
    await()
        .atMost(UpgradeFleet.LIMIT)
        .until(() -> value.equals(fleet.node(FIRST).getMetadata().getLabels().get(DEPLOYED)));
  }
}
