package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// A node of which nothing says that it has a GPU has a GPU detector, and the agent once that has
/// found one. What the detector does on a node is written by the test, as the kubelet writes it.
class GpuDetectorTest extends AgentSceneTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String AGENT = "pitcrew-agent";
  private static final String DETECTOR = "pitcrew-gpu-detector";
  private static final String NODE = "plain-1";
  private static final String DETECTED = "pitcrew.dev/gpu-detected";
  private static final String PRESENT = "nvidia.com/gpu.present";
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String FEATURE = "feature.node.kubernetes.io/pci-10de.present";
  private static final String UNHEALTHY = "pitcrew.dev/gpu-unhealthy";
  private static final String BASELINE = "baseline-for-pods";

  @Override
  void undo() {
    leaveAgentMode();
    scene.client().nodes().withName(NODE).delete();
    scene.client().namespaces().withName(BASELINE).delete();
  }

  @Test
  void aNodeGetsTheAgentOnceTheDetectorHasFoundAGpu() throws IOException, InterruptedException {
    fleet.create();
    scene.client().resource(NodeTemplate.cpu("plain").node(1)).create();
    await().atMost(LIMIT).until(() -> onNode(DETECTOR).size() == 1);
    assertThat(nodesOf(DETECTOR)).doesNotContain("gpu-1");
    assertThat(nodesOf(AGENT)).doesNotContain(NODE);

    // Not a find: the kubelet has ended it, and it runs again.
    report("{\"running\": {}}", "{\"terminated\": {\"exitCode\": 143}}");
    scene.settle();
    assertThat(labels()).doesNotContainKeys(DETECTED, PRESENT);
    assertThat(nodesOf(AGENT)).doesNotContain(NODE);

    // What it finds while no operator runs counts for the next one.
    scene.stopOperators();
    report("{\"waiting\": {}}", "{\"terminated\": {\"exitCode\": 0}}");
    scene.start(Launch.PLAIN);
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(labels())
                .containsEntry(DETECTED, "true")
                .containsEntry(PRESENT, "true")
                .containsEntry(PLUGIN, "true"));
    await().atMost(LIMIT).until(() -> onNode(DETECTOR).isEmpty() && onNode(AGENT).size() == 1);

    // As the agent does.
    label(FEATURE, "\"true\"");
    await().atMost(LIMIT).untilAsserted(() -> assertThat(labels()).doesNotContainKey(DETECTED));
    assertThat(labels()).containsEntry(PRESENT, "true");
    taint();
    scene.settle();
    assertThat(taints()).containsExactly(UNHEALTHY);
    label(FEATURE, "null");
    await().atMost(LIMIT).untilAsserted(() -> assertThat(labels()).containsEntry(PRESENT, "false"));
    await().atMost(LIMIT).until(() -> onNode(AGENT).isEmpty() && onNode(DETECTOR).size() == 1);
    await().atMost(LIMIT).untilAsserted(() -> assertThat(taints()).isEmpty());
  }

  /// A node without a GPU that is full or broken does not concern the policy.
  @Test
  void aDetectorThatIsNotReadyLeavesThePolicyReady() throws InterruptedException {
    fleet.create();
    scene.client().resource(NodeTemplate.cpu("plain").node(1)).create();
    await().atMost(LIMIT).until(() -> onNode(DETECTOR).size() == 1);
    report("{\"waiting\": {\"reason\": \"ImagePullBackOff\"}}", "{}");
    await()
        .atMost(LIMIT)
        .until(() ->
            detectors().getStatus().getNumberReady()
                < detectors().getStatus().getDesiredNumberScheduled());
    scene.settle();

    scene.policy().awaitState("ready", LIMIT);
  }

  @Test
  void itsPodsMeetTheRestrictedPodSecurityStandard() {
    fleet.create();
    await().atMost(LIMIT).until(() -> detectors() != null);
    scene
        .client()
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(BASELINE)
                .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                .endMetadata()
                .build())
        .create();
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("detector")
            .withNamespace(BASELINE)
            .endMetadata()
            .withSpec(detectors().getSpec().getTemplate().getSpec())
            .editSpec()
            .withServiceAccountName("default")
            .endSpec()
            .build();

    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(
            () -> assertThat(scene.client().resource(pod).dryRun().create()).isNotNull());
  }

  private DaemonSet detectors() {
    return scene.client().apps().daemonSets().inNamespace(Scene.NAMESPACE).withName(DETECTOR).get();
  }

  private void report(String state, String lastState) {
    Pod pod = onNode(DETECTOR).getFirst();
    scene
        .client()
        .resource(pod)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {
              "conditions": [{"type": "Ready", "status": "False"}],
              "containerStatuses": [{"name": "%s", "image": "i", "imageID": "i", "ready": false,
                "restartCount": 1, "state": %s, "lastState": %s}]}}
            """
                .formatted(DETECTOR, state, lastState));
  }

  private void label(String key, String value) {
    patchNode("{\"metadata\": {\"labels\": {\"%s\": %s}}}".formatted(key, value));
  }

  /// As the agent does before the GPU is gone for good.
  private void taint() {
    patchNode(
        """
        {"spec": {"taints": [{"key": "%s", "value": "GpuLost", "effect": "NoSchedule"}]}}
        """
            .formatted(UNHEALTHY));
  }

  private void patchNode(String patch) {
    client.nodes().withName(NODE).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private List<String> taints() {
    return scene.client().nodes().withName(NODE).require().getSpec().getTaints().stream()
        .map(Taint::getKey)
        .toList();
  }

  private Map<String, String> labels() {
    return scene.client().nodes().withName(NODE).require().getMetadata().getLabels();
  }

  private List<Pod> onNode(String app) {
    return pods(app).stream().filter(pod -> NODE.equals(pod.getSpec().getNodeName())).toList();
  }

  private List<String> nodesOf(String app) {
    return pods(app).stream().map(pod -> pod.getSpec().getNodeName()).toList();
  }

  private List<Pod> pods(String app) {
    return scene
        .client()
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app", app)
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }
}
