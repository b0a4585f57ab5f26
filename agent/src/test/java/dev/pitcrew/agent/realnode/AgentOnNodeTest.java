package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The agent as a process beside a real kubelet.
@WithGpuNode
class AgentOnNodeTest {
  private static final String DEVICE_PLUGIN = "device-plugin";

  private final GpuNode node;
  private final AgentOnNode agent;

  AgentOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  @Test
  void aNodeThatOptsOutOfTheDevicePluginHasNoGpuForNewPodsUntilItOptsInAgain() {
    // The Node may still show the GPUs of an agent that has just ended.
    PluginProcess.awaitRegistered(agent.begin("pitcrew-agent"));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (var pod = node.run(1)) {
      agent.deploy(DEVICE_PLUGIN, false);
      node.awaitAllocatable(GpuNode.GPU, 0);
      assertThat(pod.isRunning()).isTrue();

      agent.deploy(DEVICE_PLUGIN, true);
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      try (var rest = node.run(GpuNode.GPUS - 1)) {
        assertThat(rest.gpus()).hasSize(GpuNode.GPUS - 1).doesNotContainAnyElementsOf(pod.gpus());
      }
    }
  }
}
