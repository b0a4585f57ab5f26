package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeList;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// A running cluster changes between the operands of the reference and the node agent.
class AgentModeTest extends AgentSceneTest {
  // Test budget 150 s: 15 times operands of the reference and the agent take each other's place.
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String AGENT = "pitcrew-agent";
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String EXPORTER = "nvidia-node-status-exporter";
  private static final String ENGINE = "nvidia-dcgm";
  private static final String GPU_EXPORTER = "nvidia-dcgm-exporter";
  private static final String DISCOVERY = "gpu-feature-discovery";

  /// What the agent has no function for yet.
  private static final List<String> STAYING =
      List.of(
          "nvidia-container-toolkit-daemonset",
          "nvidia-operator-validator",
          "nvidia-dcgm-exporter",
          "nvidia-mig-manager");

  @Override
  void undo() {
    leaveAgentMode();
    nodes()
        .withName("gpu-1")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"taints\": null}}");
  }

  @Test
  void theAgentTakesOverAndGivesBackFunctionByFunction() throws InterruptedException {
    var reference = scene.workloads().versions();
    assertThat(reference).containsKeys(PLUGIN, DISCOVERY).doesNotContainKey(AGENT);

    fleet.create();
    awaitDaemonSets(Set.of(AGENT), Set.of(PLUGIN, DISCOVERY));
    scene.policy().awaitState("ready", LIMIT);
    assertThat(scene.workloads().versions())
        .as("no other operand is touched")
        .containsAllEntriesOf(only(reference, STAYING));

    fleet.editAgent("{\"functions\": [\"labels\"]}");
    awaitDaemonSets(Set.of(AGENT, PLUGIN), Set.of(DISCOVERY));

    fleet.editAgent("{\"enabled\": false}");
    awaitDaemonSets(Set.of(PLUGIN, DISCOVERY), Set.of(AGENT));
    scene.policy().awaitState("ready", LIMIT);
    scene.settle();
    assertThat(scene.workloads().versions().keySet()).isEqualTo(reference.keySet());
  }

  @Test
  void aFleetPolicyThatGoesTakesNoModeAlong() throws IOException, InterruptedException {
    fleet.create();
    awaitDaemonSets(Set.of(AGENT), Set.of(PLUGIN, DISCOVERY));
    scene.settle();
    var before = scene.workloads().versions();

    fleet.delete();
    scene.settle();
    assertThat(scene.workloads().versions()).isEqualTo(before);

    scene.stopOperators();
    scene.start(Launch.PLAIN);
    scene.settle();
    assertThat(scene.workloads().versions()).as("after a restart too").isEqualTo(before);
  }

  @Test
  void theReferencesPluginStaysWhileTheAgentsDaemonSetIsRefused() {
    var plugin = scene.workloads().version(PLUGIN);
    try (var _ = AdmissionPolicy.refuseDaemonSet(scene, AGENT)) {
      fleet.create();
      scene.policy().awaitError(AGENT, AdmissionPolicy.MESSAGE);
      assertThat(scene.workloads().version(PLUGIN)).isEqualTo(plugin);
    }

    awaitDaemonSets(Set.of(AGENT), Set.of(PLUGIN, DISCOVERY));
  }

  /// What an agent has said before it ended is no word of the one that has just started.
  @Test
  void theReferencesPluginStaysUntilTheAgentThatRunsNowHasReported() throws InterruptedException {
    fleet.create();
    awaitDaemonSets(Set.of(AGENT), Set.of(PLUGIN));
    agents().silent(true);
    try {
      fleet.editAgent("{\"enabled\": false}");
      awaitDaemonSets(Set.of(PLUGIN), Set.of(AGENT));
      fleet.editAgent("{\"enabled\": true}");
      scene.policy().awaitError("does not serve node gpu-1", "kubectl get gpunodes");
      scene.settle();
      assertThat(scene.workloads().versions()).containsKeys(AGENT, PLUGIN);
    } finally {
      agents().silent(false);
    }
    awaitDaemonSets(Set.of(AGENT), Set.of(PLUGIN, DISCOVERY));
  }

  @Test
  void prometheusFindsTheAgentsUnderTheNameOfTheExporter() {
    scene.policy().edit("{\"nodeStatusExporter\": {\"enabled\": true}}");
    awaitDaemonSets(Set.of(EXPORTER), Set.of());
    fleet.create();
    fleet.editAgent("{\"functions\": [\"labels\", \"nodeStatus\"]}");

    awaitDaemonSets(Set.of(AGENT), Set.of(EXPORTER));
    var uid = exporterService().getMetadata().getUid();
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(exporterService().getSpec().getSelector())
                .containsOnly(entry("app", AGENT)));

    fleet.editAgent("{\"functions\": [\"labels\"]}");
    awaitDaemonSets(Set.of(AGENT, EXPORTER), Set.of());
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(exporterService().getSpec().getSelector())
                .containsOnly(entry("app", EXPORTER)));
    assertThat(exporterService().getMetadata().getUid()).isEqualTo(uid);
  }

  @Test
  void marksOfAgents_areRemovedWithThem() {
    fleet.create();
    awaitDaemonSets(Set.of(AGENT), Set.of());
    mark("gpu-1");
    String deployed = "nvidia.com/gpu.deploy.device-plugin";
    patch("gpu-1", "", "{\"metadata\": {\"labels\": {\"" + deployed + "\": null}}}");
    await()
        .atMost(LIMIT)
        .until(() -> live("gpu-1").getMetadata().getLabels().containsKey(deployed));
    assertThat(marks("gpu-1"))
        .containsExactly(
            "pitcrew.dev/gpu-unhealthy", "team", "pitcrew.dev/gpu-not-ready", "GPUHealthy");

    fleet.editAgent("{\"enabled\": false}");
    awaitDaemonSets(Set.of(PLUGIN), Set.of(AGENT));
    await().atMost(LIMIT).untilAsserted(() -> assertThat(marks("gpu-1")).containsExactly("team"));
    // A node that joins later is registered with the taint all the same.
    mark("gpu-1");
    await().atMost(LIMIT).untilAsserted(() -> assertThat(marks("gpu-1")).containsExactly("team"));
    assertThat(live("gpu-1").getMetadata().getLabels()).containsKey(COUNT);

    scene.policy().delete();
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(live("gpu-1").getMetadata().getLabels()).doesNotContainKey(COUNT));
  }

  /// As a kubelet, an agent and another writer would.
  private void mark(String node) {
    patch(
        node,
        "",
        """
        {"spec": {"taints": [
          {"key": "pitcrew.dev/gpu-unhealthy", "value": "NeedsReset", "effect": "NoSchedule"},
          {"key": "team", "value": "a", "effect": "NoSchedule"},
          {"key": "pitcrew.dev/gpu-not-ready", "effect": "NoSchedule"}]}}
        """);
    scene
        .client()
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(node)
                .addToLabels(COUNT, "8")
                .endMetadata()
                .build())
        .fieldManager("pitcrew-agent")
        .serverSideApply();
    patch(
        node,
        "status",
        """
        {"status": {"conditions": [
          {"type": "GPUHealthy", "status": "False", "reason": "GpuUnhealthy"}]}}
        """);
  }

  private void patch(String node, String part, String patch) {
    var context = PatchContext.of(PatchType.STRATEGIC_MERGE);
    if (part.isEmpty()) {
      nodes().withName(node).patch(context, patch);
    } else {
      nodes().withName(node).subresource(part).patch(context, patch);
    }
  }

  /// Keys of all taints, and the condition of the agent where it is there.
  private List<String> marks(String node) {
    Node live = live(node);
    return Stream.concat(
            live.getSpec().getTaints().stream().map(Taint::getKey),
            live.getStatus().getConditions().stream()
                .map(NodeCondition::getType)
                .filter("GPUHealthy"::equals))
        .toList();
  }

  private Node live(String node) {
    return nodes().withName(node).require();
  }

  private NonNamespaceOperation<Node, NodeList, Resource<Node>> nodes() {
    return scene.client().nodes();
  }

  @Test
  void gpuMetricsAreTheAgentsUnderTheNamesOfTheExporter() {
    scene.policy().edit("{\"dcgmExporter\": {\"enablePodLabels\": true}}");
    fleet.create();
    fleet.editAgent("{\"functions\": [\"labels\", \"metrics\"]}");

    awaitDaemonSets(Set.of(AGENT), Set.of("nvidia-dcgm-exporter"));
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          var service = scene.client().services().inNamespace(Scene.NAMESPACE);
          assertThat(service.withName("nvidia-dcgm-exporter").require().getSpec().getSelector())
              .containsOnly(entry("app", AGENT));
          assertThat(readersOfPods()).containsExactly(AGENT);
        });

    scene.policy().edit("{\"dcgmExporter\": {\"enablePodLabels\": false}}");
    await().atMost(LIMIT).untilAsserted(() -> assertThat(readersOfPods()).isEmpty());
  }

  @Test
  void hostEngine_followsItsOwnSwitch_forAnyProviderOfMetrics() {
    fleet.create();
    fleet.editAgent("{\"functions\": [\"labels\", \"metrics\"]}");
    awaitDaemonSets(Set.of(AGENT), Set.of(GPU_EXPORTER, ENGINE));

    scene.policy().edit("{\"dcgm\": {\"enabled\": true}}");
    awaitDaemonSets(Set.of(AGENT, ENGINE), Set.of(GPU_EXPORTER));
    scene.policy().awaitState("ready", LIMIT);
    var engine = scene.workloads().version(ENGINE);
    var pods = podsOf(ENGINE);
    assertThat(pods).hasSize(1);

    fleet.editAgent("{\"functions\": [\"labels\"]}");
    awaitDaemonSets(Set.of(AGENT, ENGINE, GPU_EXPORTER), Set.of());
    assertThat(scene.workloads().environmentOf(GPU_EXPORTER))
        .contains(new EnvVar("DCGM_REMOTE_HOSTENGINE_INFO", "nvidia-dcgm:5555", null));

    fleet.editAgent("{\"functions\": [\"labels\", \"metrics\"]}");
    awaitDaemonSets(Set.of(AGENT, ENGINE), Set.of(GPU_EXPORTER));
    scene.policy().awaitState("ready", LIMIT);
    assertThat(scene.workloads().version(ENGINE)).isEqualTo(engine);
    assertThat(podsOf(ENGINE)).isEqualTo(pods);

    scene.policy().edit("{\"dcgm\": {\"enabled\": false}}");
    awaitDaemonSets(Set.of(AGENT), Set.of(GPU_EXPORTER, ENGINE));
    scene.policy().awaitState("ready", LIMIT);
  }

  @Test
  void theHostEngineOfTheReferenceRunsOnWhenTheAgentTakesOverItsMetrics()
      throws IOException, InterruptedException {
    scene.policy().edit("{\"dcgm\": {\"enabled\": true}}");
    awaitDaemonSets(Set.of(ENGINE, GPU_EXPORTER), Set.of());
    scene.settle();
    scene.stopOperators();
    new Reference(scene.client()).rewrite(scene.policy(), UnaryOperator.identity());
    scene.settle();
    var engine = scene.workloads().version(ENGINE);
    var pods = podsOf(ENGINE);

    fleet.create();
    fleet.editAgent("{\"functions\": [\"labels\", \"metrics\"]}");
    scene.start(Launch.PLAIN);
    awaitDaemonSets(Set.of(AGENT, ENGINE), Set.of(GPU_EXPORTER));
    scene.policy().awaitState("ready", LIMIT);

    assertThat(scene.workloads().version(ENGINE)).isEqualTo(engine);
    assertThat(podsOf(ENGINE)).hasSize(1).isEqualTo(pods);
  }

  private List<String> podsOf(String app) {
    return scene
        .client()
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app", app)
        .list()
        .getItems()
        .stream()
        .map(pod -> pod.getMetadata().getUid())
        .toList();
  }

  private List<String> readersOfPods() {
    var binding =
        scene
            .client()
            .rbac()
            .clusterRoleBindings()
            .withName("nvidia-dcgm-exporter-read-pods")
            .get();
    return binding == null
        ? List.of()
        : binding.getSubjects().stream().map(Subject::getName).toList();
  }

  private Service exporterService() {
    return scene.client().services().inNamespace(Scene.NAMESPACE).withName(EXPORTER).require();
  }

  private void awaitDaemonSets(Set<String> present, Set<String> absent) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(scene.workloads().versions())
                .containsKeys(present.toArray(String[]::new))
                .doesNotContainKeys(absent.toArray(String[]::new)));
  }

  private static Map<String, Workloads.Version> only(
      Map<String, Workloads.Version> versions, List<String> names) {
    var found = new TreeMap<>(versions);
    found.keySet().retainAll(names);
    assertThat(found).hasSize(names.size());
    return found;
  }
}
