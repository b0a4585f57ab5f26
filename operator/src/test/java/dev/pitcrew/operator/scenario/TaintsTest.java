// Test budget 180 s: after a test with an agent, its end takes ten seconds.
package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Nodes with taints: those of the agents, and those of others.
class TaintsTest extends AgentSceneTest {
  private static final String NODE = "gpu-2";
  private static final String AGENT = "pitcrew-agent";
  private static final String DRIVER = "nvidia-driver-daemonset";
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String NEXT_DRIVER = "600.70.01";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Override
  void undo() {
    leaveAgentMode();
    client.nodes().withName(NODE).delete();
  }

  /// As an autoscaler brings a node: it waits for the driver, which only a pod brings.
  @Test
  void aNodeThatJoinsWithTheStartupTaintGetsItsDriver() throws InterruptedException {
    fleet.create();
    fleet.edit("{\"startupTaint\": true}");
    scene.settle();
    join(taint("pitcrew.dev/gpu-not-ready", "", "NoSchedule"));

    awaitPods();
    scene.policy().awaitState("ready", LIMIT);
    assertThat(taints()).contains("pitcrew.dev/gpu-not-ready");
  }

  /// Only the agent can take the taint away, and only with the driver it is ever well again.
  @Test
  void aNodeThatAnAgentEmptiesKeepsAgentAndDriver() throws InterruptedException {
    fleet.create();
    fleet.edit("{\"health\": {\"taintFrom\": \"NeedsReset\", \"taintEffect\": \"NoExecute\"}}");
    scene.settle();
    join();
    awaitPods();
    scene.settle();
    var before = pods();

    evictAll();

    assertThat(pods()).isEqualTo(before);
    scene.policy().awaitState("ready", LIMIT);
    assertThat(taints()).contains("pitcrew.dev/gpu-unhealthy");
  }

  /// Its agent, since nothing else takes the taint away once the GPUs are healthy.
  @ParameterizedTest
  @ValueSource(strings = {"NoSchedule", "NoExecute"})
  void anUnhealthyNodeGetsNewPodsOfItsAgentAndItsDriver(String effect) throws InterruptedException {
    joinAsUnhealthy(effect);
    var before = pods();

    client.resource(pod(AGENT).orElseThrow()).delete();
    await("the agent has another pod, which is ready")
        .atMost(LIMIT)
        .until(() ->
            pod(AGENT)
                .filter(Readiness::isPodReady)
                .filter(it -> !it.getMetadata().getUid().equals(before.get(AGENT)))
                .isPresent());
    assertThat(pods()).containsEntry(DRIVER, before.get(DRIVER));

    scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(NEXT_DRIVER));
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(driverImage()).endsWith(NEXT_DRIVER + "-ubuntu22.04");
          assertThat(node().getMetadata().getLabels())
              .containsEntry(UpgradeFleet.STATE, "upgrade-done");
          assertThat(node().getSpec().getUnschedulable()).isNotEqualTo(true);
        });
    assertThat(pods()).containsOnlyKeys(AGENT, DRIVER);
    assertThat(pods().get(DRIVER)).isNotEqualTo(before.get(DRIVER));
    assertThat(taints()).contains("pitcrew.dev/gpu-unhealthy");
  }

  /// Its agent has not taken the taint away yet.
  @Test
  void aDriverOutlivesTheSettingThatItsNodeWasTaintedBy() throws InterruptedException {
    fleet.create();
    fleet.edit("{\"health\": {\"taintFrom\": \"NeedsReset\", \"taintEffect\": \"NoExecute\"}}");
    scene.settle();
    join();
    awaitPods();
    evictAll();
    var before = pods();

    fleet.edit("{\"health\": null}");
    scene.settle();

    assertThat(pods()).isEqualTo(before).hasSize(2);
  }

  @Test
  void aTaintThatKeepsOperandsOffANodeIsNamed() {
    join(taint("team", "a", "NoSchedule"));

    scene
        .policy()
        .awaitError(
            "DaemonSet nvidia-driver-daemonset is kept off node gpu-2 by the taint team=a:NoSchedule",
            "{key: team, operator: Equal, value: a, effect: NoSchedule}",
            "label the node nvidia.com/gpu.deploy.operands=false");
    assertThat(scene.policy().state()).isEqualTo("notReady");

    scene
        .policy()
        .edit(
            """
            {"daemonsets": {"tolerations": [
              {"key": "team", "operator": "Equal", "value": "a", "effect": "NoSchedule"}]}}
            """);
    scene.policy().awaitState("ready", LIMIT);
  }

  /// The other remedy. The agent is on every node that has no such taint.
  @Test
  void aNodeThatIsToHaveNoOperandIsNotMissed() throws InterruptedException {
    fleet.create();
    scene.settle();
    join(taint("team", "a", "NoSchedule"));
    scene.policy().awaitError("DaemonSet pitcrew-agent is kept off node gpu-2");

    client
        .nodes()
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"nvidia.com/gpu.deploy.operands\": \"false\"}}}");

    scene.policy().awaitState("ready", LIMIT);
  }

  /// Its pods stay where they are.
  @Test
  void aTaintThatComesLaterTakesNothingAway() throws InterruptedException {
    join();
    scene.settle();
    scene.policy().awaitState("ready", LIMIT);

    taintNode(taint("maintenance", "", "NoSchedule"));
    scene.settle();

    assertThat(scene.policy().state()).isEqualTo("ready");
  }

  /// What an agent said there before says nothing once it has no pod there.
  @Test
  void operandsStayWhereATaintKeepsTheAgentOffThatServedOnce() throws InterruptedException {
    join();
    scene.settle();
    taintNode(taint("team", "a", "NoSchedule"));
    var plugin = scene.workloads().version(PLUGIN);

    fleet.create();
    await().atMost(LIMIT).until(() -> scene.workloads().versions().containsKey(AGENT));
    scene.settle();
    assertThat(scene.workloads().version(PLUGIN)).isEqualTo(plugin);
    assertThat(scene.policy().state()).isEqualTo("notReady");

    client
        .nodes()
        .withName(NODE)
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"taints\": null}}");
    await().atMost(LIMIT).until(() -> !scene.workloads().versions().containsKey(PLUGIN));
    scene.policy().awaitState("ready", LIMIT);
  }

  /// A node with a driver, whose agent has tainted it since.
  private void joinAsUnhealthy(String effect) throws InterruptedException {
    fleet.create();
    fleet.edit(
        "{\"health\": {\"taintFrom\": \"NeedsReset\", \"taintEffect\": \"%s\"}}".formatted(effect));
    scene.settle();
    join();
    awaitPods();
    scene.policy().awaitState("ready", LIMIT);
    taintNode(taint("pitcrew.dev/gpu-unhealthy", "NeedsReset", effect));
    scene.settle();
  }

  /// Returns when the node is rid of the pods that do not tolerate its taint.
  private void evictAll() throws InterruptedException {
    var witness =
        new PodBuilder()
            .withNewMetadata()
            .withName("witness")
            .withNamespace("default")
            .endMetadata()
            .withNewSpec()
            .withNodeName(NODE)
            .withTerminationGracePeriodSeconds(0L)
            .addNewContainer()
            .withName("c")
            .withImage("example.com/i")
            .endContainer()
            .endSpec()
            .build();
    client.resource(witness).create();
    taintNode(taint("pitcrew.dev/gpu-unhealthy", "NeedsReset", "NoExecute"));
    await().atMost(LIMIT).until(() -> client.resource(witness).get() == null);
    scene.settle();
  }

  private void join(Taint... taints) {
    client
        .resource(
            new NodeBuilder(NodeTemplate.gpu("gpu").node(2))
                .editOrNewSpec()
                .withTaints(taints)
                .endSpec()
                .build())
        .create();
  }

  private void taintNode(Taint taint) {
    client
        .nodes()
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            new NodeBuilder().withNewSpec().withTaints(taint).endSpec().build());
  }

  private Node node() {
    return client.nodes().withName(NODE).require();
  }

  private List<String> taints() {
    return node().getSpec().getTaints().stream().map(Taint::getKey).toList();
  }

  private static Taint taint(String key, String value, String effect) {
    return new TaintBuilder()
        .withKey(key)
        .withValue(value.isEmpty() ? null : value)
        .withEffect(effect)
        .build();
  }

  private void awaitPods() {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(pods()).containsOnlyKeys(AGENT, DRIVER));
  }

  private String driverImage() {
    return pod(DRIVER)
        .map(it -> it.getSpec().getContainers().getFirst().getImage())
        .orElse("no driver");
  }

  private Optional<Pod> pod(String app) {
    return agentAndDriver().filter(pod -> app(pod).equals(app)).findFirst();
  }

  /// Those of agent and driver on the node that joined: app → uid.
  private Map<String, String> pods() {
    return agentAndDriver()
        .collect(Collectors.toMap(TaintsTest::app, pod -> pod.getMetadata().getUid()));
  }

  private Stream<Pod> agentAndDriver() {
    return client.pods().inNamespace(Scene.NAMESPACE).list().getItems().stream()
        .filter(pod -> NODE.equals(pod.getSpec().getNodeName()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> app(pod).equals(AGENT) || app(pod).equals(DRIVER));
  }

  private static String app(Pod pod) {
    return pod.getMetadata().getLabels().getOrDefault("app", "");
  }
}
