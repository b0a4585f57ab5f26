package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What an agent that is the last of its node takes off the Node, and what it leaves to the next.
@WithControlPlane
class UninstallDetectorTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin", "health"],
       "health": {"taintFrom": "NeedsReset"}, "startupTaint": true,
       "clusterPolicy": {"devicePlugin": {"enabled": true}, "gfd": {"enabled": true}}}
      """;
  private static final String DAEMON_SET =
      """
      apiVersion: apps/v1
      kind: DaemonSet
      metadata: {name: pitcrew-agent, namespace: %s}
      spec:
        selector: {matchLabels: {app: pitcrew-agent}}
        template:
          metadata: {labels: {app: pitcrew-agent}}
          spec: {nodeSelector: {absent: label}, containers: [{name: agent, image: none}]}
      """;

  private RunningAgent agent;
  private ControlPlane plane;
  private String daemonSet;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    plane = controlPlane;
    daemonSet = DAEMON_SET.formatted(namespace.name());
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provideDocument(DOCUMENT);
    agent.startKubelet();
    taint();
    agent.gpus().set(1, "remap_failed", "1");
    plane.client().load(yaml()).create();
    Files.createDirectories(hook().getParent());
    Files.writeString(hook(), "");
    Files.writeString(specification(), "{\"path\": \"%s\"}".formatted(hook()));
    agent.start();
    await().atMost(LIMIT).until(() -> taints().size() == 3 && hasCondition());
  }

  @AfterEach
  void end() throws IOException {
    plane.client().load(yaml()).delete();
    agent.close();
  }

  @Test
  void thePodThatMakesRoomForTheNextLeavesAllAsItIs() throws InterruptedException {
    agent.leave();
    assertThat(hook()).exists();
    assertThat(specification()).exists();
    assertThat(taints())
        .containsExactlyInAnyOrder(
            "pitcrew.dev/gpu-not-ready", "pitcrew.dev/gpu-unhealthy", "team");
    assertThat(hasCondition()).isTrue();
  }

  @Test
  void theLastOneTakesItsTaintsAndItsConditionAlong() throws InterruptedException {
    plane.client().load(yaml()).delete();
    await()
        .atMost(LIMIT)
        .until(() -> plane.client().load(yaml()).get().stream().allMatch(it -> it == null));
    agent.leave();
    assertThat(hook().getParent()).doesNotExist();
    assertThat(specification()).doesNotExist();
    assertThat(taints()).containsExactly("team");
    assertThat(hasCondition()).isFalse();
  }

  private Path hook() {
    return agent.stateFolder().resolve("bin/pitcrew-cdi-hook");
  }

  private Path specification() {
    return agent.cdiFolder().resolve("runtime.nvidia.com-gpu.json");
  }

  private ByteArrayInputStream yaml() {
    return new ByteArrayInputStream(daemonSet.getBytes(StandardCharsets.UTF_8));
  }

  private List<String> taints() {
    return agent.liveNode().getSpec().getTaints().stream().map(Taint::getKey).toList();
  }

  private boolean hasCondition() {
    Node live = agent.liveNode();
    return live.getStatus() != null
        && live.getStatus().getConditions().stream()
            .map(NodeCondition::getType)
            .anyMatch("GPUHealthy"::equals);
  }

  /// Not before the control plane has taken away the taint that each new node has.
  private void taint() {
    await().atMost(LIMIT).until(() -> taints().isEmpty());
    plane
        .client()
        .nodes()
        .withName(RunningAgent.NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"spec": {"taints": [
              {"key": "team", "value": "a", "effect": "NoSchedule"},
              {"key": "pitcrew.dev/gpu-not-ready", "effect": "NoSchedule"}]}}
            """);
  }
}
