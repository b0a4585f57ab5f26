package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.GpuPod;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The agent is killed at each step from a fault to the reset that clears it, and from a fault that
/// another program repairs to the end of all that it had led to. The next agent finishes it, and a
/// pod on another GPU notices nothing.
@WithGpuNode
class HealthKillTest {
  // Test budget 220 s: each of its 15 kills costs the start of an agent, and GPUs recover in
  // between.
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin", "health"],
       "health": {"recoverAfterSeconds": 2, "taintFrom": "NeedsReset", "resetGpus": true},
       "clusterPolicy": {
         "gfd": {"enabled": true},
         "devicePlugin": {"enabled": true, "env": [
           {"name": "DEVICE_LIST_STRATEGY", "value": "cdi-cri"},
           {"name": "NVIDIA_CDI_HOOK_PATH", "value": "%s"}]}}}
      """
          .formatted(JvmOnNode.HOOK);

  private final GpuNode node;
  private final AgentOnNode agent;
  private final Kills kills;

  HealthKillTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    agent.useDocument(DOCUMENT);
    kills =
        new Kills(
            node, agent, Stream.of(HealthKillPoint.values()).map(HealthKillPoint::place).toList());
  }

  @AfterEach
  void close() {
    agent.close();
    node.gpus()
        .gpus()
        .forEach(gpu -> {
          node.gpus().set(gpu.index(), "remap_pending", "0");
          node.gpus().set(gpu.index(), "remap_failed", "0");
        });
    node.offerNothing();
  }

  @Test
  void whateverTheAgentDidLastTheNextOneFinishes() {
    PluginProcess.awaitRegistered(kills.begin());
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (GpuPod pod = node.run(1)) {
      Map<String, Set<String>> before = node.devices().ofPods();
      int gpu = pod.gpus().equals(List.of("/dev/nvidia0")) ? 1 : 0;
      var signs = new HealthSigns(node, gpu, pod);
      for (HealthKillPoint point : HealthKillPoint.values()) {
        surviveKillAt(point, signs);
        assertThat(pod.isRunning()).as("after %s", point).isTrue();
        assertThat(node.devices().ofPods()).as("after %s", point).isEqualTo(before);
      }
      assertThat(signs.events("GpuUnhealthy")).as("of the pod on another GPU").isZero();
    }
    kills.assertSurvived(HealthKillPoint.values().length);
    // KillTest has those of the GPUNode; an Event that repeats gets only a higher count.
    kills.assertNoOtherWrites(
        List.of(
            "create events.k8s.io/events",
            "create pitcrew.dev/gpunodes",
            "patch events.k8s.io/events",
            "patch nodes",
            "patch nodes/status",
            "patch pitcrew.dev/gpunodes",
            "patch pitcrew.dev/gpunodes/status"));
  }

  private void surviveKillAt(HealthKillPoint point, HealthSigns signs) {
    if (point.isOfRecovery()) {
      becomeUnhealthyForLong(signs);
    }
    var doomed = kills.arm(point.place());
    if (point.isOfRecovery()) {
      node.gpus().set(signs.gpu(), "remap_failed", "0");
    } else {
      node.gpus().set(signs.gpu(), "remap_pending", "1");
    }
    doomed.awaitEnd();
    awaitNoneOffered();
    String left = left(signs);
    assertThat(left).as("after %s", point).contains(point.left());

    long start = System.nanoTime();
    kills.begin();
    try {
      awaitWell(signs);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "after %s: %s; done before: %s".formatted(point, signs.message(), kills.soFar()), e);
    }
    kills.survived(
        "%-24s left %-62s; all well %5d ms after the new start"
            .formatted(point, left, Kills.millisSince(start)));
  }

  /// With a fault that no reset would clear.
  private void becomeUnhealthyForLong(HealthSigns signs) {
    node.gpus().set(signs.gpu(), "remap_failed", "1");
    kills.soon(
        "a unhealthy GPU",
        () -> {
          assertThat(signs.level()).isEqualTo("Replace");
          assertThat(signs.isTainted()).isTrue();
          assertThat(signs.condition()).startsWith("False");
        });
  }

  private String left(HealthSigns signs) {
    return "%s, %s, %s in GPUNode, remap %s"
        .formatted(
            signs.isTainted() ? "tainted" : "no taint",
            signs.condition(),
            signs.level(),
            isPending(signs) ? "pending" : "done");
  }

  private boolean isPending(HealthSigns signs) {
    return !node.gpus()
        .simulate("get", String.valueOf(signs.gpu()), "remap_pending")
        .strip()
        .endsWith("0");
  }

  /// What holds already counts only once the kubelet has seen the agent go.
  private void awaitNoneOffered() {
    kills.soon(
        "no device in order", () -> assertThat(node.devices().healthy(GpuNode.GPU)).isZero());
  }

  private void awaitWell(HealthSigns signs) {
    kills.soon(
        "all well",
        () -> {
          assertThat(isPending(signs)).isFalse();
          assertThat(node.devices().healthy(GpuNode.GPU)).isEqualTo(GpuNode.GPUS);
          assertThat(signs.isTainted()).isFalse();
          assertThat(signs.condition()).startsWith("True");
          assertThat(signs.level()).isEqualTo("Healthy");
          assertThat(signs.evidence()).isEmpty();
        });
  }
}
