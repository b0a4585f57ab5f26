package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Two nodes change one by one between the reference's device plugin and the agent, and back.
class NodeByNodeTest extends AgentSceneTest {
  // Test budget 180 s: the way back waits until pods have been ready for ten seconds.
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String AGENT = "pitcrew-agent";
  private static final String BY_AGENT = "provided-by-agent";
  private static final Map<String, String> ALL_TRUE = Map.of("gpu-1", "true", "gpu-2", "true");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Override
  void enter() throws IOException, InterruptedException {
    super.enter();
    client.resource(NodeTemplate.gpu("gpu").node(2)).create();
  }

  @Override
  void undo() {
    agents().driver("gpu-2", true);
    leaveAgentMode();
  }

  @Test
  void aNodeThatItsAgentDoesNotServeKeepsThePodOfTheReference()
      throws IOException, InterruptedException {
    try (var providers = new Providers(client)) {
      await().atMost(LIMIT).until(() -> providers.plugins().size() == 2);
      var before = providers.plugins();
      agents().driver("gpu-2", false);
      fleet.create();

      await().atMost(LIMIT).until(() -> providers.plugins().size() == 1);
      scene.policy().awaitError("does not serve node gpu-2", "kubectl get gpunodes");
      assertThat(providers.labels()).isEqualTo(Map.of("gpu-1", BY_AGENT, "gpu-2", "true"));
      assertThat(providers.plugins()).isEqualTo(Map.of("gpu-2", before.get("gpu-2")));

      scene.stopOperators();
      scene.start(Launch.PLAIN);
      scene.settle();
      assertThat(providers.plugins()).isEqualTo(Map.of("gpu-2", before.get("gpu-2")));
      assertThat(scene.workloads().versions()).containsKey(PLUGIN);

      agents().driver("gpu-2", true);
      scene.policy().awaitReady();
      await().atMost(LIMIT).untilAsserted(() -> assertThat(providers.labels()).isEqualTo(ALL_TRUE));
      assertThat(scene.workloads().versions()).doesNotContainKey(PLUGIN);
      assertThat(providers.agents()).containsExactly("gpu-1", "gpu-2");
      assertThat(providers.mostWithoutAny()).isZero();
    }
  }

  @Test
  void anOperandThatDoesNotComeUpTakesNoMoreNodesBack() throws IOException, InterruptedException {
    fleet.create();
    await().atMost(LIMIT).until(() -> !scene.workloads().versions().containsKey(PLUGIN));
    scene.settle();
    try (var providers = new Providers(client)) {
      scene.policy().edit("{\"devicePlugin\": {\"version\": \"666.0.0\"}}");
      fleet.editAgent("{\"functions\": [\"labels\"]}");

      await().atMost(LIMIT).until(() -> scene.workloads().versions().containsKey(PLUGIN));
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(providers.labels()).isEqualTo(Map.of("gpu-1", "true", "gpu-2", BY_AGENT)));
      scene.settle();
      assertThat(providers.agents()).containsExactly("gpu-2");
      scene.policy().awaitError(PLUGIN + " is ready on 0 of 1 nodes");

      scene.stopOperators();
      scene.start(Launch.PLAIN);
      scene.settle();
      assertThat(providers.agents()).containsExactly("gpu-2");
      assertThat(document().path("handingBack"))
          .singleElement()
          .extracting(JsonNode::asText)
          .isEqualTo("devicePlugin");

      scene.policy().edit("{\"devicePlugin\": {\"version\": \"v0.17.1\"}}");
      await().atMost(LIMIT).until(() -> providers.plugins().size() == 2);
      scene.policy().awaitReady();
      await().atMost(LIMIT).untilAsserted(() -> assertThat(providers.labels()).isEqualTo(ALL_TRUE));
      await().atMost(LIMIT).until(() -> !document().has("handingBack"));
      await().atMost(LIMIT).until(() -> providers.agents().isEmpty());
      assertThat(providers.mostWithoutAny()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void theAgentStaysUntilItHasHandedBackEachNode() throws InterruptedException {
    fleet.create();
    await().atMost(LIMIT).until(() -> !scene.workloads().versions().containsKey(PLUGIN));
    scene.settle();
    try (var providers = new Providers(client)) {
      fleet.editAgent("{\"enabled\": false}");

      await().atMost(LIMIT).until(() -> !scene.workloads().versions().containsKey(AGENT));
      scene.policy().awaitReady();
      await().atMost(LIMIT).untilAsserted(() -> assertThat(providers.labels()).isEqualTo(ALL_TRUE));
      await().atMost(LIMIT).until(() -> providers.plugins().size() == 2);
      assertThat(providers.mostWithoutAny()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void nodesThatTheFleetPolicyLeavesOutKeepTheOperands() throws IOException, InterruptedException {
    client
        .nodes()
        .withName("gpu-1")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"pool\": \"a\"}}}");
    try (var providers = new Providers(client)) {
      await().atMost(LIMIT).until(() -> providers.plugins().size() == 2);
      var before = providers.plugins();
      fleet.createWithoutAgent();
      fleet.editAgent(
          """
          {"enabled": true, "functions": ["labels", "devicePlugin", "metrics"],
           "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
             "nodeSelectorTerms": [{"matchExpressions": [
               {"key": "pool", "operator": "In", "values": ["a"]}]}]}}}}
          """);

      await().atMost(LIMIT).until(() -> providers.plugins().size() == 1);
      scene.policy().awaitReady();
      scene.settle();
      assertThat(providers.plugins()).isEqualTo(Map.of("gpu-2", before.get("gpu-2")));
      assertThat(providers.agents()).containsExactly("gpu-1");
      assertThat(providers.labels()).isEqualTo(Map.of("gpu-1", BY_AGENT, "gpu-2", "true"));
      assertThat(scene.workloads().versions()).containsKey("nvidia-dcgm-exporter");
      assertThat(scene.policy().messageOf("Ready"))
          .contains("has metrics, which operands provide on all nodes");
      assertThat(providers.mostWithoutAny()).isZero();

      var versions = scene.workloads().versions();
      scene.stopOperators();
      scene.start(Launch.PLAIN);
      scene.settle();
      assertThat(scene.workloads().versions()).isEqualTo(versions);
      assertThat(providers.plugins()).isEqualTo(Map.of("gpu-2", before.get("gpu-2")));
    }
  }

  /// As where definitions are applied apart from the chart, and later.
  @Test
  void aDefinitionThatLacksWhatAgentsReportIsNamed() throws IOException, InterruptedException {
    client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName("gpunodes.pitcrew.dev")
        .edit(definition -> {
          var schema =
              definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
          Objects.requireNonNull(schema.getProperties().get("status"))
              .getProperties()
              .remove("agent");
          return definition;
        });
    try {
      fleet.create();
      scene
          .policy()
          .awaitError(
              "gpunodes.pitcrew.dev of this cluster lacks status.agent",
              "pitcrew manage-crds apply");
    } finally {
      Scene.installDefinitions(controlPlane);
    }
    await()
        .atMost(LIMIT)
        .until(() -> !scene.policy().messageOf("Error").contains("lacks status.agent"));
  }

  private JsonNode document() throws IOException {
    return new ObjectMapper()
        .readTree(
            client
                .configMaps()
                .inNamespace(Scene.NAMESPACE)
                .withName(AgentDocument.CONFIG_MAP)
                .require()
                .getData()
                .get(AgentDocument.KEY));
  }
}
