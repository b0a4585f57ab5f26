package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.node.KubeletCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A device plugin that is not ours serves the node and ends beside an agent, as in a take-over
/// from the NVIDIA GPU Operator. It registers once, under the socket's name that the agent uses,
/// too, and removes that file when it ends. A kubelet then drops the agent, which has registered
/// later.
@WithGpuNode
class OtherPluginTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final GpuNode node;
  private final AgentOnNode agent;

  OtherPluginTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  @Test
  void theAgentServesOnWhenTheOtherPluginEnds() throws IOException {
    serveOn(other -> HandoverTest.java(other).destroy());
  }

  /// It removes no file then.
  @Test
  void theAgentServesOnWhenTheOtherPluginIsKilled() throws IOException {
    serveOn(GuardedProcess::stop);
  }

  private void serveOn(Consumer<GuardedProcess> end) throws IOException {
    var other = startOther();
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    var agents = agent.begin("pitcrew-agent");
    PluginProcess.awaitRegistered(agents);
    try (var pod = node.run(1)) {
      Map<String, Set<String>> before = node.devices().ofPods();
      try (var shortage = Shortage.watch(node)) {
        String first = lastRegistration(agents);
        end.accept(other);
        await("a second registration")
            .atMost(LIMIT)
            .until(() -> lastRegistration(agents), it -> !it.isEmpty() && !it.equals(first));
        await("all GPUs")
            .atMost(LIMIT)
            .untilAsserted(
                () -> assertThat(node.devices().healthy(GpuNode.GPU)).isEqualTo(GpuNode.GPUS));
        System.out.printf(
            "the other plugin ended: the kubelet was without a list of all GPUs for %d ms; allocatable"
                + " GPUs of the Node meanwhile: %s%n",
            shortage.longest().toMillis(), shortage.allocatable());
      }
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertThat(node.devices().ofPods()).isEqualTo(before);
      assertThat(pod.isRunning()).isTrue();
      try (var rest = node.run(GpuNode.GPUS - 1)) {
        assertThat(rest.gpus()).hasSize(GpuNode.GPUS - 1);
        assertThat(KubeletCheckpoint.of(node.node()).allocations()).hasSize(2);
      }
    } finally {
      other.stop();
    }
  }

  /// A line of the log, with its time; empty where others have pushed it out of the tail.
  private static String lastRegistration(GuardedProcess agent) {
    return agent
        .logTail()
        .lines()
        .filter(line -> line.contains("registered with the kubelet: resource=" + GpuNode.GPU))
        .reduce("", (_, later) -> later);
  }

  /// Under the name by which it knows what it is.
  private GuardedProcess startOther() throws IOException {
    Path folder = node.jvm().folder();
    Path program = folder.resolve("nvidia-device-plugin");
    Files.copy(
        Binaries.standard(System.out::println).resolve(Binary.OPERAND),
        program,
        StandardCopyOption.REPLACE_EXISTING,
        StandardCopyOption.COPY_ATTRIBUTES);
    Path list =
        Files.write(
            folder.resolve("gpus"), node.gpus().gpus().stream().map(SimulatedGpu::uuid).toList());
    return node.node().start("other-plugin", "env", "GPU_LIST=" + list, program.toString());
  }
}
