package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Machines fall silent, reboot or are replaced in the middle of their upgrade: they count once as
/// out of service, hold their place not for ever, and go on when they are back.
@WithControlPlane
class UpgradeOutageTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NODES = 4;
  private static final String TWO_DOWN =
      "\"upgradePolicy\": {\"maxParallelUpgrades\": %d, \"maxUnavailable\": 2}";

  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final Outages outages;
  private Scene scene;
  private UpgradeFleet fleet;

  /// @param kwok runs the pods of the simulated nodes
  UpgradeOutageTest(ControlPlane controlPlane, SimulatedNodes kwok) {
    this.controlPlane = controlPlane;
    this.client = controlPlane.client();
    this.outages = new Outages(client);
  }

  @BeforeEach
  void enter() throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
    fleet = UpgradeFleet.create(client, NODES);
    scene.install("default-one-gpu-node");
    fleet.awaitDone();
  }

  @AfterEach
  void leave() {
    fleet.states().keySet().forEach(outages::end);
    client.genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode").delete();
    fleet.close();
    scene.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Unknown", "False"})
  void aCordonedNodeThatIsNotReadyCountsOnceAndGoesOnWhenItIsBack(String status) {
    var held = hold();
    upgrade("600.60.01", 2);
    fleet.awaitState(held, "pod-deletion-required");

    outages.fall(held, status, Duration.ZERO);
    awaitBlocker(held, "node " + held + " is not ready: its kubelet", "describe node");
    fleet.awaitDriver("600.60.01", allBut(held));
    assertThat(fleet.states()).containsEntry(held, "pod-deletion-required");
    assertThat(fleet.drivers().get(held)).doesNotContain("600.60.01");
    System.out.println(rollout(held));

    outages.end(held);
    fleet.unpin();
    fleet.awaitDriver("600.60.01");
    assertThat(fleet.mostDown()).isEqualTo(2);
    fleet.assertClean();
  }

  @Test
  void aNodeThatDoesNotComeBackGivesItsPlaceToAnotherAndIsUpgradedLater() {
    var held = hold();
    upgrade("600.60.02", 1);
    fleet.awaitState(held, "pod-deletion-required");

    outages.fall(held, "Unknown", Duration.ofMinutes(20));
    awaitBlocker(held, "is not ready");
    outages.backdate(held, Duration.ofMinutes(20));
    fleet.awaitState(held, "upgrade-failed");
    assertThat(fleet.node(held).getSpec().getUnschedulable()).isNotEqualTo(true);
    awaitBlocker(held, "is not ready: its kubelet is silent since", "for 15 minutes");
    fleet.awaitDriver("600.60.02", allBut(held));
    assertThat(fleet.mostDown()).as("with the one that is silent").isEqualTo(2);

    outages.backdate(held, Duration.ofMinutes(10));
    fleet.awaitState(held, "upgrade-required");
    awaitBlocker(held, "it begins once it is ready");
    fleet.unpin();
    outages.end(held);
    fleet.awaitDriver("600.60.02");
    fleet.assertClean();
  }

  @Test
  void aNodeThatFallsWhileItsDriverEndsIsFailedAndHealsByItself() {
    var held = hold();
    upgrade("600.60.03", 1);
    fleet.awaitState(held, "pod-deletion-required");
    var driver = fleet.driver(held).orElseThrow();
    client.resource(driver).edit(pod -> {
      pod.getMetadata().setFinalizers(List.of("test.pitcrew.dev/hangs"));
      return pod;
    });
    fleet.unpin();
    fleet.awaitState(held, "pod-restart-required");
    outages.fall(held, "Unknown", Duration.ZERO);
    awaitBlocker(held, "is not ready", "cannot end");

    outages.backdate(held, Duration.ofMinutes(31));
    fleet.awaitState(held, "upgrade-failed");
    assertThat(fleet.node(held).getSpec().getUnschedulable())
        .as("no driver, and no pods")
        .isTrue();
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() ->
            assertThat(fleet.told(held))
                .anyMatch(it ->
                    it.contains("30 minutes after its driver pod was replaced")
                        && it.contains("is not ready")
                        && it.contains("kubectl annotate node " + held)));
    fleet.awaitDriver("600.60.03", allBut(held));

    outages.end(held);
    fleet.awaitDriver("600.60.03");
    assertThat(fleet.mostDown()).isEqualTo(2);
    fleet.assertClean();
  }

  @Test
  void aNodeThatRebootsMidUpgradeGoesOn() {
    var held = hold();
    upgrade("600.60.04", 1);
    fleet.awaitState(held, "pod-deletion-required");

    outages.reboot(held);
    fleet.unpin();
    fleet.awaitDriver("600.60.04");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatIsReplacedUnderItsNameMidUpgradeHasTheNewDriverAndNoCordon() {
    var held = hold();
    upgrade("600.60.05", 1);
    fleet.awaitState(held, "pod-deletion-required");

    fleet.leave(held);
    fleet.join(Integer.parseInt(held.substring(held.lastIndexOf('-') + 1)));
    fleet.unpin();
    fleet.awaitDriver("600.60.05");
    assertThat(fleet.states()).hasSize(NODES);
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  @Test
  void aNodeThatIsOutOfServiceElsewhereIsNamedToThoseThatWaitForIt() {
    var dead = UpgradeFleet.name(2);
    reportOn(UpgradeFleet.name(1));
    outages.fall(dead, "Unknown", Duration.ZERO);

    scene.policy().edit("{\"driver\": {\"version\": \"600.60.06\"}}");
    awaitBlocker(
        UpgradeFleet.name(1), "1 of at most 1 nodes are out of service: " + dead + " (not ready)");
    assertThat(fleet.mostCordoned()).isZero();

    outages.end(dead);
    fleet.awaitDriver("600.60.06");
    assertThat(fleet.mostDown()).isEqualTo(1);
    fleet.assertClean();
  }

  /// A node whose upgrade stands still while its pod may not go.
  private String hold() {
    fleet.train("pinned", 1);
    fleet.pin("pinned");
    var node = fleet.pods("pinned").getFirst().getSpec().getNodeName();
    reportOn(node);
    return node;
  }

  private void upgrade(String version, int parallel) {
    scene
        .policy()
        .edit(
            "{\"driver\": {\"version\": \"%s\", %s}}"
                .formatted(version, TWO_DOWN.formatted(parallel)));
  }

  private Set<String> allBut(String node) {
    var names = new TreeSet<>(fleet.states().keySet());
    names.remove(node);
    return names;
  }

  private void reportOn(String node) {
    var gpuNode = new GenericKubernetesResource();
    gpuNode.setApiVersion("pitcrew.dev/v1alpha1");
    gpuNode.setKind("GPUNode");
    gpuNode.setMetadata(new ObjectMetaBuilder().withName(node).build());
    client.resource(gpuNode).create();
  }

  private void awaitBlocker(String node, String... words) {
    await()
        .atMost(UpgradeFleet.LIMIT)
        .untilAsserted(() -> assertThat(rollout(node)).contains(words));
  }

  private String rollout(String node) {
    return JSON.valueToTree(
            client
                .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
                .withName(node)
                .require())
        .at("/status/rollout")
        .toString();
  }
}
