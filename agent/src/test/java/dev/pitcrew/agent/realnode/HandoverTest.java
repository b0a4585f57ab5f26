package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.node.KubeletCheckpoint;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A new agent beside the old one, as when a DaemonSet is rolled: it waits, and follows at once.
@WithGpuNode
class HandoverTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(5);
  private static final String WAITS = "another agent runs on this node; waiting for it";
  private static final String IS_READY = "ready to take over";
  private static final String REGISTERED =
      "registered with the kubelet: resource=nvidia.com/gpu socket=/var/lib/kubelet";

  private final GpuNode node;
  private final AgentOnNode agent;
  private final PodDevices devices;

  HandoverTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    devices = node.devices();
  }

  @AfterEach
  void close() {
    agent.close();
  }

  @Test
  void agentThatIsStopped_handsOver_andNoPodLosesItsGpu() {
    handOver("stopped", old -> java(old).destroy());
  }

  @Test
  void anAgentThatIsKilledIsFollowedByTheOneThatWaits() {
    handOver("killed", GuardedProcess::stop);
  }

  /// The child of the program that entered the node for it.
  static ProcessHandle java(GuardedProcess agent) {
    return agent
        .process("nsenter")
        .flatMap(entered -> entered.children().findFirst())
        .orElseThrow();
  }

  @FunctionalInterface
  private interface End {
    void of(GuardedProcess old);
  }

  private void handOver(String how, End end) {
    var old = agent.begin("pitcrew-agent");
    PluginProcess.awaitRegistered(old);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (var one = node.run(1);
        var two = node.run(2);
        var shortage = Shortage.watch(node)) {
      Map<String, Set<String>> before = devices.ofPods();
      Set<String> given = KubeletCheckpoint.of(node.node()).allocations();
      var next = agent.begin("pitcrew-agent-2");
      awaitWord(next, WAITS);
      awaitWord(next, IS_READY);
      assertThat(next.logTail()).doesNotContain(REGISTERED);
      assertThat(shortage.longest()).as("while it waits").isZero();

      end.of(old);
      awaitWord(next, REGISTERED);
      await("all GPUs")
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(devices.healthy(GpuNode.GPU)).isEqualTo(GpuNode.GPUS));
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      System.out.printf(
          "the old agent was %s: the kubelet was without a list of all GPUs for %d ms; allocatable"
              + " GPUs of the Node meanwhile: %s%n",
          how, shortage.longest().toMillis(), shortage.allocatable());

      assertThat(devices.ofPods()).isEqualTo(before);
      assertThat(KubeletCheckpoint.of(node.node()).allocations()).isEqualTo(given);
      assertThat(one.isRunning() && two.isRunning()).isTrue();
      assertThat(socketsOfPlugins()).hasSize(1);
      try (var rest = node.run(GpuNode.GPUS - 3)) {
        assertThat(rest.gpus())
            .doesNotContainAnyElementsOf(one.gpus())
            .doesNotContainAnyElementsOf(two.gpus());
      }
    }
  }

  private String[] socketsOfPlugins() {
    var folder = node.node().path("/var/lib/kubelet/device-plugins").toFile();
    assertThat(Files.isDirectory(folder.toPath())).isTrue();
    return folder.list((_, name) -> name.startsWith("nvidia-gpu"));
  }

  private static void awaitWord(GuardedProcess process, String word) {
    await(word)
        .atMost(LIMIT)
        .pollInterval(POLL)
        .untilAsserted(() -> assertThat(process.logTail()).contains(word));
  }
}
