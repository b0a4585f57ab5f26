package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Where agents validate their nodes, their word ends an upgrade; and each GPUNode says where its
/// node stands. The test speaks for the agents.
class UpgradeReportTest extends UpgradeTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String WEDGED =
      "module nvidia is wedged (2 references, no holder) on upgraded-1: reboot the node";
  private static final String VERSION = "600.30.01";

  private JsonNode rolloutAtFirst = MissingNode.getInstance();
  private List<String> eventsAtFirst = List.of();

  @Override
  void enter() throws IOException, InterruptedException {
    fleet.grow(1);
    policies.create();
    policies.editAgent("{\"functions\": [\"cdi\", \"runtime\", \"validation\"]}");
    scene.serve("default-one-gpu-node");
    reports.reportOn(FIRST);
    agentSays("595.91.07");
    fleet.awaitDone();
    scene.settle();
    rolloutAtFirst = rollout();
    eventsAtFirst = fleet.events(FIRST);
  }

  @Override
  void awaitRestored() {
    reports.reportOn(FIRST);
    agentSays(restoredVersion());
    super.awaitRestored();
  }

  @Test
  void aNodeThatGetsItsFirstDriverReportsNoUpgrade() {
    assertThat(eventsAtFirst).isEmpty();
    assertThat(rolloutAtFirst.isMissingNode()).isTrue();
  }

  @Test
  void theAgentsWordOnTheNewDriverEndsTheUpgrade() {
    training.start("pinned", 1);
    training.pin("pinned");
    var former = restoredVersion();

    scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(VERSION));
    awaitRollout("DeletePods", "PDB pinned-budget allows 0 disruptions");
    assertThat(rollout().path("nextAction").asText())
        .isEqualTo(
            "then the driver pod is replaced; at the deadline (upgradePolicy.podDeletion.timeoutSeconds) the node is given back to its pods, and tried again 10 minutes later");
    assertThat(rollout().path("deadline").asText()).isNotEmpty();

    training.unpin();
    awaitRollout(
        "Validate", "the agent sees driver %s, and 600.30.01 is installed".formatted(former));
    assertThat(fleet.node(FIRST).getSpec().getUnschedulable()).isTrue();

    agentSays(VERSION);
    fleet.awaitDriver(VERSION);
    awaitRollout("Done", "");
    assertThat(rollout().has("deadline")).isFalse();
    fleet.assertClean();
  }

  /// There is no published image of version 404.
  @Test
  void reasonOfAWaitingDriverPod_isTheBlocker() {
    scene.policy().edit("{\"driver\": {\"version\": \"404.30.01\"}}");
    awaitRollout(
        "RestartDriver", "container nvidia-driver-ctr: ImagePullBackOff: Back-off pulling");

    kubelets.managerWaits(FIRST, "pod team/train holds a GPU");
    awaitRollout("RestartDriver", "pod team/train holds a GPU");
    kubelets.managerRefuses(FIRST, WEDGED);
    awaitRollout("RestartDriver", WEDGED);
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(String.join("\n", fleet.events(FIRST)))
                .contains("ImagePullBackOff", "pod team/train holds a GPU; ", WEDGED + "; "));
    System.out.println(rollout().toPrettyString());
    fleet.events(FIRST).forEach(System.out::println);

    scene.policy().edit("{\"driver\": {\"version\": \"600.30.02\"}}");
    agentSays("600.30.02");
    fleet.awaitDriver("600.30.02");
    fleet.assertClean();
  }

  /// As it leaves them when it dies after it released the node, and before it reported that.
  @Test
  void reportOfAKilledOperatorInTheGpuNode_isRemovedByTheNext()
      throws IOException, InterruptedException {
    training.start("pinned", 1);
    training.pin("pinned");
    scene.policy().edit("{\"driver\": {\"version\": \"600.30.03\"}}");
    awaitRollout("DeletePods", "PDB pinned-budget allows 0 disruptions");
    scene.stopOperators();
    scene.policy().edit("{\"driver\": {\"upgradePolicy\": {\"autoUpgrade\": false}}}");

    client
        .nodes()
        .withName(FIRST)
        .edit(node -> {
          node.getMetadata().getLabels().keySet().removeIf(it -> it.contains("driver-upgrade"));
          node.getMetadata()
              .getAnnotations()
              .keySet()
              .removeIf(it -> it.contains("driver-upgrade"));
          node.getSpec().setUnschedulable(false);
          return node;
        });

    scene.start(Launch.PLAIN);
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> assertThat(rollout().isMissingNode()).isTrue());
    training.unpin();
  }

  private void awaitRollout(String phase, String blocker) {
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> {
          assertThat(rollout().path("phase").asText()).isEqualTo(phase);
          assertThat(rollout().path("blocker").asText()).contains(blocker);
        });
  }

  private JsonNode rollout() {
    return JSON.valueToTree(gpuNode().require()).at("/status/rollout");
  }

  private void agentSays(String driver) {
    gpuNode()
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"driver": {"version": "%s", "phase": "Ready"}, "conditions": [%s, %s, %s]}}
            """
                .formatted(
                    driver,
                    condition("DriverReady"),
                    condition("DevicesAdvertised"),
                    condition("Validated")));
  }

  private static String condition(String type) {
    return """
    {"type": "%s", "status": "True", "reason": "Passed", "message": "",
     "lastTransitionTime": "2026-11-22T08:00:00Z"}\
    """
        .formatted(type);
  }

  private Resource<GenericKubernetesResource> gpuNode() {
    return client.genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode").withName(FIRST);
  }
}
