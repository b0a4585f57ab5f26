package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.GpuPod;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A GPU of a real node is divided by a label while a pod holds another one.
@WithGpuNode
class MigOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String WANTED = "nvidia.com/mig.config";
  private static final String STATE = "nvidia.com/mig.config.state";
  private static final String HALF = "nvidia.com/mig-3g.40gb";

  private final GpuNode node;
  private final AgentOnNode agent;

  MigOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
  }

  @AfterEach
  void close() {
    agent.close();
    agent.deploy("mig-manager", false);
    node.gpus().divide("mode 0 0 0\nmode 1 0 0\n");
  }

  @Test
  void newDevicesComeAndThePodOnAnotherGpuNotices() {
    PluginProcess.awaitRegistered(agent.begin("pitcrew-agent"));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (GpuPod pod = node.run(1)) {
      int divided = pod.gpus().equals(List.of("/dev/nvidia0")) ? 1 : 0;
      agent.divide(layouts(divided));
      agent.label(WANTED, "all-disabled");
      awaitState("success");
      var fewest = new AtomicLong(GpuNode.GPUS);

      agent.label(WANTED, "halves");
      await()
          .atMost(LIMIT)
          .until(() -> {
            fewest.accumulateAndGet(node.devices().healthy(GpuNode.GPU), Math::min);
            return agent.label(STATE).equals("success") && node.allocatable(HALF) == 2;
          });

      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 1);
      assertThat(fewest.get()).isEqualTo(GpuNode.GPUS - 1);
      try (GpuPod slice = node.run(node.pod(HALF, 1))) {
        assertThat(slice.gpus()).containsExactly("/dev/nvidia" + divided);
      }
      assertThat(pod.isRunning()).isTrue();

      agent.label(WANTED, "all-disabled");
      await().atMost(LIMIT).until(() -> node.allocatable(HALF) <= 0);
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertThat(pod.isRunning()).isTrue();
    }
    System.out.println(String.join("\n", agent.events()));
  }

  private void awaitState(String state) {
    await().atMost(LIMIT).until(() -> agent.label(STATE).equals(state));
  }

  private static String layouts(int gpu) {
    return """
    version: v1
    mig-configs:
      all-disabled:
      - devices: all
        mig-enabled: false
      halves:
      - devices: [%d]
        mig-enabled: true
        mig-devices: {3g.40gb: 2}
    """
        .formatted(gpu);
  }
}
