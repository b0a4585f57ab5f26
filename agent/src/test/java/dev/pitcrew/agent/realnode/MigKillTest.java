package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.GpuPod;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The agent is killed after each effect of a change of MIG, and the next one finishes it: nothing
/// stays paused, and a pod on another GPU notices nothing.
@WithGpuNode
class MigKillTest {
  // Test budget 200 s: each of its 11 kills costs the start of an agent and a change of MIG.
  private static final String WANTED = "nvidia.com/mig.config";
  private static final String STATE = "nvidia.com/mig.config.state";
  private static final String HALF = "nvidia.com/mig-3g.40gb";
  private static final String WHOLE = "all-disabled";
  private static final String HALVES = "halves";
  private static final String LAYOUTS =
      """
      version: v1
      mig-configs:
        all-disabled:
        - devices: all
          mig-enabled: false
        halves:
        - devices: [%d]
          mig-enabled: true
          mig-devices: {3g.40gb: 2}
      """;

  /// Where the agent is killed on the way to a layout. The layouts alternate as far as the points
  /// let them, so that few agents have to divide before they are killed.
  private enum Point {
    HELD_BACK("agent.mig.MigReporter#pending", HALVES),
    COMPUTE_INSTANCE_IS_DESTROYED("hardware.gpu.Partitions#destroyCompute", WHOLE),
    JOURNAL_IS_WRITTEN("agent.mig.change.Journal#begin", HALVES),
    INSTANCE_IS_DESTROYED("hardware.gpu.Partitions#destroyInstance", WHOLE),
    MODE_IS_SET("hardware.gpu.Partitions#setMode", HALVES),
    JOURNAL_IS_REMOVED("agent.mig.change.Journal#end", WHOLE),
    INSTANCE_IS_CREATED("hardware.gpu.Partitions#createInstance", HALVES),
    DRIVER_IS_RETURNED("agent.mig.MigReporter#returnDriver", WHOLE),
    COMPUTE_INSTANCE_IS_CREATED("hardware.gpu.Partitions#createCompute", HALVES),
    GPU_IS_RESET("agent.mig.change.OwnAccess#reset", WHOLE),
    REBOOT_AFTER_AN_INSTANCE("hardware.gpu.Partitions#createInstance", HALVES);

    private final String place;
    private final String wanted;

    Point(String place, String wanted) {
      this.place = "dev.pitcrew." + place;
      this.wanted = wanted;
    }
  }

  private final GpuNode node;
  private final AgentOnNode agent;
  private final Kills kills;

  MigKillTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    kills = new Kills(node, agent, Stream.of(Point.values()).map(it -> it.place).toList());
  }

  @AfterEach
  void close() {
    agent.close();
    agent.deploy("mig-manager", false);
    node.offerNothing();
  }

  @Test
  void whateverTheAgentDidLastTheNextOneFinishes() {
    PluginProcess.awaitRegistered(kills.begin());
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (GpuPod pod = node.run(1)) {
      agent.divide(LAYOUTS.formatted(pod.gpus().equals(List.of("/dev/nvidia0")) ? 1 : 0));
      for (Point point : Point.values()) {
        surviveKillAt(point);
        assertThat(pod.isRunning()).as("after %s", point).isTrue();
      }
    }
    kills.assertSurvived(Point.values().length);
  }

  private void surviveKillAt(Point point) {
    reach(point.wanted.equals(WHOLE) ? HALVES : WHOLE);
    var doomed = kills.arm(point.place);
    agent.label(WANTED, point.wanted);
    doomed.awaitEnd();
    if (point == Point.REBOOT_AFTER_AN_INSTANCE) {
      // The mode stays, instances do not.
      node.gpus().simulate("reset", "all", "--force");
    }
    long start = System.nanoTime();
    kills.begin();
    awaitDivided(point.wanted);
    kills.survived(
        "%-32s as wanted (%s) %d ms after the new start"
            .formatted(point, point.wanted, Kills.millisSince(start)));
  }

  private void reach(String layout) {
    agent.label(WANTED, layout);
    awaitDivided(layout);
  }

  private void awaitDivided(String layout) {
    boolean isWhole = layout.equals(WHOLE);
    kills.soon(
        layout,
        () -> {
          assertThat(agent.actual()).isEqualTo(layout);
          assertThat(agent.label(STATE)).isEqualTo("success");
          assertThat(Math.max(0, node.allocatable(HALF))).isEqualTo(isWhole ? 0 : 2);
          assertThat(node.devices().healthy(GpuNode.GPU))
              .isEqualTo(GpuNode.GPUS - (isWhole ? 0 : 1));
        });
  }
}
