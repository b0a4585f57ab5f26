// Test budget 150 s: the pace of writes to the FleetPolicy is ten seconds
package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// The status of the FleetPolicy says how the fleet is; the test speaks for the agents.
@WithControlPlane
class FleetStatusTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String NODE = "gpu-1";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration PACE = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final JsonMapper LENIENT =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
          .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
          .build();

  private final ControlPlane controlPlane;

  FleetStatusTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @Test
  void theFleetIsSummarised_andWrittenOnlyWhenItChanges() throws Exception {
    try (var scene = Scene.of(SCENARIO, controlPlane);
        var fleet = new FleetPolicies(scene.client())) {
      fleet.create();
      scene.serve(SCENARIO);
      say(scene, NODE, "True", "Ready", "Healthy");
      awaitSummary(
          "{total: 1, ready: 1, byReason: []}",
          "{total: 2, allocatable: 2, unhealthy: 0, shared: 0, byHealth: [{level: 'Healthy', gpus: 2}]}");
      assertThat(at("/rollout/phase")).isIn("Done", "Wave");
      columnsLabelsAndConditionsAreForKubectl(scene);
      scene.settle();

      String version = version();
      Instant begin = Instant.now();
      say(scene, NODE, "False", "GpuUnhealthy", "NeedsReset");
      for (int i = 0; i < 40; i++) {
        addNode(scene, "more-%02d".formatted(i));
        say(scene, "more-%02d".formatted(i), "False", "Reason%02d".formatted(i % 20), "Healthy");
      }
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            assertThat(at("/summary/nodes/total")).isEqualTo("41");
            assertThat(status().at("/summary/nodes/byReason")).hasSize(11);
            assertThat(at("/summary/gpus/unhealthy")).isEqualTo("1");
          });
      assertThat(version()).isNotEqualTo(version);
      assertPaced(begin);

      scene.settle();
      String rest = version();
      String observed = at("/summary/observedAt");
      scene.stopOperators();
      scene.start(Launch.PLAIN);
      scene.settle();
      assertThat(version()).as("an operator that starts writes nothing").isEqualTo(rest);
      assertThat(at("/summary/observedAt")).isEqualTo(observed);

      scene.client().genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode").delete();
      awaitSummary(
          "{total: 0, ready: 0, byReason: []}",
          "{total: 0, allocatable: 0, unhealthy: 0, shared: 0, byHealth: []}");
    }
  }

  private void columnsLabelsAndConditionsAreForKubectl(Scene scene) throws Exception {
    label(scene, NODE, "pitcrew.dev/health", "NeedsReset");
    assertThat(kubectl("get", "gpunodes", "-l", "pitcrew.dev/health=NeedsReset"))
        .containsPattern(
            "NAME +PRODUCT +GPUS +ALLOCATABLE +DRIVER +HEALTH +READY +REASON +ROLLOUT +AGE\n"
                + NODE
                + " +H100 80GB HBM3 +2 +2 +580.1 +Healthy +True +Ready ");
    assertThat(kubectl("get", "gpunodes", "-l", "pitcrew.dev/health=Healthy"))
        .contains("No resources found");
    assertThat(kubectl("get", "fleetpolicies"))
        .containsPattern("AGENT +PAUSED +READY +REASON +NODES +READY-NODES +ROLLOUT +AGE");
    for (String object :
        List.of("clusterpolicy/cluster-policy", "fleetpolicy/fleet", "gpunode/gpu-1")) {
      assertThat(kubectl("wait", "--for=condition=Ready", object, "--timeout=60s"))
          .contains("condition met");
    }
  }

  /// Of any two writes of a summary the second came after its time.
  private void assertPaced(Instant begin) {
    List<Instant> writes =
        controlPlane.auditLog().requestsOf(OperatorWrites.USER).stream()
            .filter(
                it -> it.resource().equals("pitcrew.dev/fleetpolicies/status") && it.isMutating())
            .map(Request::received)
            .filter(it -> it.isAfter(begin))
            .toList();
    assertThat(writes).isNotEmpty();
    Duration took = Duration.between(begin, writes.getLast());
    assertThat((long) writes.size())
        .as("summaries every ten seconds, operands every five: %s", writes)
        .isLessThanOrEqualTo(2 + 3 * (took.toSeconds() / PACE.toSeconds() + 1));
  }

  private static void addNode(Scene scene, String name) {
    scene
        .client()
        .resource(new NodeBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  private static void say(Scene scene, String node, String ready, String reason, String level) {
    var agent = new AgentReports(scene.client(), node);
    if (scene
            .client()
            .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
            .withName(node)
            .get()
        == null) {
      agent.create();
    }
    agent.status(
        """
        "gpuCount": 2, "allocatable": 2, "product": "H100 80GB HBM3", "health": "%2$s",
        "gpus": [
          {"pciAddress": "0000:07:00.0", "health": {"level": "%2$s", "evidence": ["Xid 95"]}},
          {"pciAddress": "0000:08:00.0", "health": {"level": "Healthy"}}],
        "driver": {"version": "580.1", "owner": "Container", "phase": "Ready"},
        "conditions": [
          {"type": "Ready", "status": "%3$s", "reason": "%1$s", "message": "", "lastTransitionTime": "2026-11-26T00:00:00Z"}]
        """
            .formatted(reason, level, ready));
  }

  private static void label(Scene scene, String node, String key, String value) {
    scene
        .client()
        .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
        .withName(node)
        .edit(it -> {
          it.getMetadata().setLabels(java.util.Map.of(key, value));
          return it;
        });
  }

  private void awaitSummary(String nodes, String gpus) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(status().at("/summary/nodes")).isEqualTo(json(nodes));
          assertThat(status().at("/summary/gpus")).isEqualTo(json(gpus));
        });
  }

  private static JsonNode json(String text) throws JsonProcessingException {
    return LENIENT.readTree(text);
  }

  private String at(String path) {
    return status().at(path).asText();
  }

  private JsonNode status() {
    return policy().path("status");
  }

  private String version() {
    return policy().at("/metadata/resourceVersion").asText();
  }

  private JsonNode policy() {
    return JSON.valueToTree(
        controlPlane
            .client()
            .genericKubernetesResources("pitcrew.dev/v1alpha1", "FleetPolicy")
            .withName("fleet")
            .require());
  }

  private String kubectl(String... arguments) throws IOException, InterruptedException {
    var line = new ArrayList<String>();
    line.add(Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL).toString());
    line.add("--kubeconfig=" + controlPlane.kubeconfigFile());
    line.addAll(List.of(arguments));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String output =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    System.out.println(output);
    return output;
  }
}
