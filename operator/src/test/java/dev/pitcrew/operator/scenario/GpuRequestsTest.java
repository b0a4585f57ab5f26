package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What is reported to a user whose pod asks for GPUs that no node can give, by a real API server
/// and scheduler.
class GpuRequestsTest extends SharedSceneTest {
  // Test budget 120 s: it waits for pods without an Event, and an operator starts again.
  private static final String NAMESPACE = "default";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// Pod, what it asks for, and what is said of it.
  private static final Map<String, List<String>> MISTAKES =
      new TreeMap<>(
          Map.of(
              "too-many",
              List.of("nvidia.com/gpu: 16", "no node that is there now has more than 8", "h100-1"),
              "typo",
              List.of("nvidia.com/gpus: 1", "if you mean nvidia.com/gpu", "up to 8"),
              "renamed",
              List.of("nvidia.com/gpu.shared: 1", "if you mean nvidia.com/gpu,"),
              "no-such-mig",
              List.of("nvidia.com/mig-1g.5gb: 1", "if you mean nvidia.com/mig-1g.10gb"),
              "apart",
              List.of("nvidia.com/gpu: 1, nvidia.com/mig-1g.10gb: 1", "has these together")));

  @Override
  void enter() throws IOException, InterruptedException {
    create(NodeTemplate.gpu("h100").withAllocatable("nvidia.com/gpu", "8").node(1));
    create(NodeTemplate.gpu("mig").withAllocatable("nvidia.com/mig-1g.10gb", "7").node(1));
    scene.serve("default-one-gpu-node");
  }

  @Override
  void undo() {
    client.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
    client.events().v1().events().inNamespace(NAMESPACE).delete();
    leaveAgentMode();
    taint("h100-1", "null");
    client.nodes().withName("large-1").delete();
  }

  @Test
  void podThatCanNeverRun_getsOneEventWithTheReason() throws IOException, InterruptedException {
    fleet.create();
    MISTAKES.forEach((pod, mistake) -> create(pod(pod, mistake.getFirst())));
    create(pod("waits-for-others", "nvidia.com/gpu: 8"));
    var chosen = pod("chooses-another-node", "nvidia.com/gpu: 8");
    chosen.getSpec().setNodeSelector(Map.of("kubernetes.io/hostname", "mig-1"));
    create(chosen);
    create(pod("needs-no-gpu", "cpu: 1000"));

    MISTAKES.forEach((pod, mistake) -> {
      await().atMost(LIMIT).untilAsserted(() -> assertThat(events(pod)).hasSize(1));
      var event = events(pod).getFirst();
      assertThat(event.getReason()).isEqualTo("GPURequestCannotBeMet");
      assertThat(event.getType()).isEqualTo("Warning");
      assertThat(event.getNote()).contains(mistake.subList(1, mistake.size()));
    });

    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(events("chooses-another-node")).hasSize(1));
    assertThat(events("chooses-another-node").getFirst().getNote())
        .contains("(nodeSelector kubernetes.io/hostname=mig-1) none has any");

    scene.stopOperators();
    scene.start(Launch.PLAIN);
    scene.settle();
    MISTAKES.keySet().forEach(pod -> assertThat(events(pod)).as("after a restart").hasSize(1));

    create(NodeTemplate.gpu("large").withAllocatable("nvidia.com/gpu", "16").node(1));
    scene.settle();
    create(pod("fits-now", "nvidia.com/gpu: 16"));
    create(pod("too-many-again", "nvidia.com/gpu: 17"));
    await().atMost(LIMIT).untilAsserted(() -> assertThat(events("too-many-again")).hasSize(1));
    assertThat(events("too-many-again").getFirst().getNote()).contains("large-1");
    assertThat(events("fits-now")).isEmpty();
    assertThat(events("waits-for-others")).as("all in use, or not ready, is no mistake").isEmpty();
    assertThat(events("needs-no-gpu")).isEmpty();
  }

  @Test
  void podThatToleratesNoNode_getsTheTolerationInAnEvent() throws InterruptedException {
    taint("h100-1", "[{\"key\": \"team\", \"value\": \"a\", \"effect\": \"NoSchedule\"}]");
    fleet.create();
    create(pod("of-no-team", "nvidia.com/gpu: 8"));
    create(pod("elsewhere", "nvidia.com/mig-1g.10gb: 1"));
    var ours = pod("of-the-team", "nvidia.com/gpu: 8");
    ours.getSpec()
        .setTolerations(
            List.of(new TolerationBuilder().withKey("team").withOperator("Exists").build()));
    create(ours);

    await().atMost(LIMIT).untilAsserted(() -> assertThat(events("of-no-team")).hasSize(1));
    assertThat(events("of-no-team").getFirst().getReason()).isEqualTo("GPUTaintNotTolerated");
    assertThat(events("of-no-team").getFirst().getNote())
        .contains("h100-1 (team=a:NoSchedule)")
        .endsWith("{key: team, operator: Equal, value: a, effect: NoSchedule}");
    scene.settle();
    assertThat(events("elsewhere")).isEmpty();
    assertThat(events("of-the-team")).isEmpty();
  }

  private void taint(String node, String taints) {
    client
        .nodes()
        .withName(node)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"taints\": " + taints + "}}");
  }

  @Test
  void withoutTheAgentNothingIsSaid() throws InterruptedException {
    create(pod("too-many", "nvidia.com/gpu: 16"));
    await().atMost(LIMIT).until(() -> isUnschedulable("too-many"));
    scene.settle();

    assertThat(events("too-many")).isEmpty();
  }

  /// So a pod that names a GPU in its requests only is never accepted, from any user.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "requests: {nvidia.com/gpu: 1}                               | Limit must be set for non overcommitable resources",
        "requests: {nvidia.com/gpu: 1}, limits: {nvidia.com/gpu: 2}  | must be equal to nvidia.com/gpu limit",
      })
  void theApiServerRefusesRequestsWithoutEqualLimits(String resources, String message) {
    var pod =
        "{restartPolicy: %s, containers: [{name: main, image: i, resources: {" + resources + "}}]}";
    var template = "{metadata: {labels: {a: b}}, spec: " + pod + "}";
    var specs =
        Map.of(
            "v1 Pod",
            pod.formatted("Always"),
            "batch/v1 Job",
            "{template: " + template.formatted("Never") + "}",
            "apps/v1 Deployment",
            "{selector: {matchLabels: {a: b}}, template: " + template.formatted("Always") + "}");
    for (var entry : specs.entrySet()) {
      var kind = entry.getKey().split(" ", 2);
      HasMetadata object =
          client
              .getKubernetesSerialization()
              .unmarshal(
                  "apiVersion: %s\nkind: %s\nmetadata: {name: r}\nspec: %s\n"
                      .formatted(kind[0], kind[1], entry.getValue()));
      assertThatThrownBy(() -> client.resource(object).inNamespace(NAMESPACE).create())
          .as(object.getKind())
          .hasMessageContaining(message);
    }
  }

  @Test
  void limitAlone_becomesTheRequestInTheApiServer() {
    var pod = create(pod("limit-only", "nvidia.com/gpu: 1"));

    assertThat(pod.getSpec().getContainers().getFirst().getResources().getRequests())
        .containsKey("nvidia.com/gpu");
  }

  private List<Event> events(String pod) {
    return client.events().v1().events().inNamespace(NAMESPACE).list().getItems().stream()
        .filter(event -> "pitcrew".equals(event.getReportingController()))
        .filter(event -> pod.equals(event.getRegarding().getName()))
        .toList();
  }

  private boolean isUnschedulable(String name) {
    return client
        .pods()
        .inNamespace(NAMESPACE)
        .withName(name)
        .get()
        .getStatus()
        .getConditions()
        .stream()
        .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
  }

  private <T extends HasMetadata> T create(T object) {
    return client.resource(object).create();
  }

  private static Pod pod(String name, String limits) {
    return Serialization.unmarshal(
        """
        metadata: {name: %s, namespace: %s}
        spec:
          containers: [{name: main, image: example.com/i, resources: {limits: {%s}}}]
        """
            .formatted(name, NAMESPACE, limits),
        Pod.class);
  }
}
