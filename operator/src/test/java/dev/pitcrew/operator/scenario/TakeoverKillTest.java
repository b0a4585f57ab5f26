package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.ReportingAgents;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An operator is killed while a write is in flight, at each step by which nodes change between the
/// reference's operands and the agent, all of them and those that the FleetPolicy comes to leave
/// out. The next one reaches the same end, and on the way no node is left without a device plugin,
/// but for the one that comes back.
@WithControlPlane
class TakeoverKillTest {
  // Test budget 180 s: each of its 26 kills costs the start of an operator.
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final Map<String, String> ALL_TRUE = Map.of("gpu-1", "true", "gpu-2", "true");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// In the order in which an undisturbed operator writes them; each is lost once and lands once.
  private static final List<String> ONTO_AGENTS =
      List.of("update Node", "delete DaemonSet", "update Node");

  private static final List<String> TO_SOME_NODES =
      List.of(
          "update Node",
          "update ConfigMap",
          "create DaemonSet",
          "update Node",
          "update DaemonSet",
          "update ConfigMap");

  private static final List<String> BACK =
      List.of("update Node", "update ConfigMap", "create DaemonSet", "update Node");

  private Scene scene;
  private FleetPolicies fleet;
  private ReportingAgents agents;
  private Providers providers;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
    fleet = new FleetPolicies(scene.client());
    agents = new ReportingAgents(scene.client());
    scene.client().resource(NodeTemplate.gpu("gpu").node(2)).create();
    scene
        .client()
        .nodes()
        .withName("gpu-1")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"pool\": \"a\"}}}");
    scene.gate();
    scene.serve(SCENARIO);
    providers = new Providers(scene.client());
    await().atMost(LIMIT).until(() -> providers.plugins().size() == 2);
  }

  @AfterEach
  void leave() {
    try (var _ = scene;
        var _ = agents;
        var _ = providers) {
      fleet.delete();
    }
  }

  @Test
  void theNextOperatorReachesTheSameEnd() throws IOException, InterruptedException {
    killAtEach(ONTO_AGENTS, fleet::create);
    await().atMost(LIMIT).until(() -> !scene.workloads().versions().containsKey(PLUGIN));
    scene.policy().awaitReady();
    await().atMost(LIMIT).untilAsserted(() -> assertThat(providers.labels()).isEqualTo(ALL_TRUE));
    assertThat(providers.agents()).containsExactly("gpu-1", "gpu-2");
    assertThat(providers.mostWithoutAny()).isZero();

    killAtEach(TO_SOME_NODES, () -> fleet.editAgent("{\"nodeSelector\": {\"pool\": \"a\"}}"));
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(providers.labels())
                .isEqualTo(Map.of("gpu-1", "provided-by-agent", "gpu-2", "true")));
    scene.policy().awaitReady();
    await().atMost(LIMIT).until(() -> nodesOfAgents().equals(List.of("gpu-1")));
    scene.settle();
    assertThat(providers.plugins()).containsOnlyKeys("gpu-2");
    assertThat(providers.agents()).containsExactly("gpu-1");
    assertThat(providers.mostWithoutAny()).isLessThanOrEqualTo(1);

    fleet.editAgent("{\"nodeSelector\": null}");
    await().atMost(LIMIT).until(() -> !scene.workloads().versions().containsKey(PLUGIN));
    await().atMost(LIMIT).untilAsserted(() -> assertThat(providers.labels()).isEqualTo(ALL_TRUE));
    assertThat(providers.agents()).containsExactly("gpu-1", "gpu-2");

    killAtEach(BACK, () -> fleet.editAgent("{\"functions\": [\"labels\"]}"));
    await().atMost(LIMIT).until(() -> providers.plugins().size() == 2);
    scene.policy().awaitReady();
    await().atMost(LIMIT).untilAsserted(() -> assertThat(providers.labels()).isEqualTo(ALL_TRUE));
    await().atMost(LIMIT).until(() -> providers.agents().isEmpty());
    assertThat(providers.mostWithoutAny()).isLessThanOrEqualTo(1);
  }

  private List<String> nodesOfAgents() {
    return scene
        .client()
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app", "pitcrew-agent")
        .list()
        .getItems()
        .stream()
        .map(pod -> pod.getSpec().getNodeName())
        .toList();
  }

  private void killAtEach(List<String> sorts, Runnable act)
      throws IOException, InterruptedException {
    var isFirst = true;
    for (var sort : sorts) {
      for (var lands : new boolean[] {false, true}) {
        var held = scene.gate().hold(sort);
        if (isFirst) {
          act.run();
          isFirst = false;
        } else {
          scene.begin(Launch.PLAIN);
        }
        scene.killWhile(held, lands);
      }
    }
    scene.start(Launch.PLAIN);
  }
}
