package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// A new driver reaches simulated nodes with real evictions and real disruption budgets.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DriverUpgradeTest extends UpgradeTest {
  private static final int NODES = 4;

  @Override
  void enter() throws IOException, InterruptedException {
    install(NODES);
  }

  /// The first test, since an operator says the same words about a node once in ten minutes.
  @Test
  @Order(1)
  void aNewVersionReachesAllNodesOneAfterAnother() {
    training.start("trainer", 6);

    scene.policy().edit("{\"driver\": {\"version\": \"600.10.01\"}}");
    fleet.awaitDriver("600.10.01");

    assertThat(fleet.mostCordoned()).isEqualTo(1);
    fleet.assertClean();
    training.awaitRunning("trainer", 6);
    System.out.println(FIRST + ":\n" + String.join("\n", fleet.events(FIRST)));
    assertThat(fleet.events(FIRST))
        .contains("Successfully updated node state label to pod-deletion-required")
        .contains("Successfully updated node state label to pod-restart-required");
  }

  @Test
  void podThatABudgetBlocks_isNamed_andEvictedLaterAutomatically() {
    training.start("pinned", 1);
    var node = training.pods("pinned").getFirst().getSpec().getNodeName();
    training.pin("pinned");
    scene
        .policy()
        .edit(
            "{\"driver\": {\"upgradePolicy\": {\"maxParallelUpgrades\": 0, \"maxUnavailable\": \"50%\"}}}");

    scene.policy().edit("{\"driver\": {\"version\": \"600.10.02\"}}");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.events(node))
                .anyMatch(it -> it.contains("PDB pinned-budget allows 0 disruptions")));
    assertThat(fleet.states()).containsEntry(node, "pod-deletion-required");
    assertThat(fleet.drivers().get(node)).doesNotContain("600.10.02");

    training.unpin();
    fleet.awaitDriver("600.10.02");
    assertThat(fleet.mostCordoned()).isLessThanOrEqualTo(NODES / 2);
  }

  @Test
  void cordonOfAnotherOwner_stays() {
    setUnschedulable("true");

    scene
        .policy()
        .edit(
            "{\"driver\": {\"version\": \"600.10.03\", \"upgradePolicy\": {\"maxUnavailable\": 2}}}");
    fleet.awaitDriver("600.10.03");

    assertThat(fleet.node(FIRST).getSpec().getUnschedulable()).isTrue();
    assertThat(List.copyOf(fleet.states().keySet()).stream().skip(1))
        .noneMatch(it -> Boolean.TRUE.equals(fleet.node(it).getSpec().getUnschedulable()));
    setUnschedulable("null");
  }

  private void setUnschedulable(String value) {
    client
        .nodes()
        .withName(FIRST)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"unschedulable\":%s}}".formatted(value));
  }

  @Test
  void upgradesThatAreTurnedOffLeaveNothingBehind() {
    training.start("pinned", 1);
    var node = training.pods("pinned").getFirst().getSpec().getNodeName();
    training.pin("pinned");
    scene
        .policy()
        .edit(
            "{\"driver\": {\"version\": \"600.10.04\", \"upgradePolicy\": {\"maxParallelUpgrades\": 0, \"maxUnavailable\": \"100%\"}}}");
    fleet.awaitState(node, "pod-deletion-required");

    scene.policy().edit("{\"driver\": {\"upgradePolicy\": {\"autoUpgrade\": false}}}");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> {
          assertThat(fleet.states().values()).containsOnly("");
          assertThat(fleet.node(node).getSpec().getUnschedulable()).isNotEqualTo(true);
        });
    assertThat(fleet.node(node).getMetadata().getAnnotations().keySet())
        .noneMatch(it -> it.startsWith("pitcrew.dev/driver-upgrade"));
  }

  @Test
  void aDriverThatDoesNotStartIsNamedAndAnotherVersionHelps() {
    scene.policy().edit("{\"driver\": {\"version\": \"666.10.05\"}}");
    var broken = fleet.awaitSome("upgrade-failed");
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.events(broken))
                .anyMatch(it ->
                    it.contains(
                            "was restarted 11 times: container nvidia-driver-ctr: CrashLoopBackOff")
                        && it.contains("the node stays cordoned")));
    assertThat(fleet.node(broken).getSpec().getUnschedulable()).isTrue();

    scene
        .policy()
        .edit(
            "{\"driver\": {\"version\": \"600.10.06\", \"upgradePolicy\": {\"maxUnavailable\": 2}}}");
    fleet.awaitDriver("600.10.06");
    assertThat(fleet.node(broken).getSpec().getUnschedulable()).isNotEqualTo(true);
  }

  @Test
  void aCanaryThatFailsHaltsTheRollOut() throws InterruptedException {
    policies.create();
    policies.edit(
        """
        {"agent": {"enabled": false}, "rollout": {"canary": {"nodes": 1, "soakSeconds": 3600},
         "waves": [{"name": "spare", "nodeSelector": {"kubernetes.io/hostname": "%s"}}]}}
        """
            .formatted(THIRD));
    scene
        .policy()
        .edit(
            "{\"driver\": {\"upgradePolicy\": {\"maxParallelUpgrades\": 0, \"maxUnavailable\": \"100%\"}}}");

    scene.policy().edit("{\"driver\": {\"version\": \"666.10.07\"}}");
    assertThat(fleet.awaitSome("upgrade-failed")).as("the first wave").isEqualTo(THIRD);
    scene.settle();
    assertThat(fleet.states().values())
        .containsExactlyInAnyOrder(
            "upgrade-required", "upgrade-required", "upgrade-failed", "upgrade-required");
    assertThat(fleet.mostCordoned()).isEqualTo(1);
    replaceDriver("600.10.08");
  }
}
