package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.GpuPod;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The driver of a node is replaced, and the agent is killed in each state of it: in one
/// replacement before it can answer, in another one after. The next agent does not open the driver
/// while another program has it, claims nothing that is not so, and brings all of it back in the
/// end.
@WithGpuNode
class DriverReplacementKillTest {
  private static final String STATE = "nvidia.com/gpu-driver-upgrade-state";
  private static final String COUNT = "nvidia.com/gpu.count";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final List<String> OPERANDS =
      List.of("operator-validator", "device-plugin", "gpu-feature-discovery");

  /// What happens to a node on its way to a new driver, in this order.
  private enum Step {
    PAUSED("pod-restart-required"),
    DRIVER_GONE("pod-restart-required"),
    DRIVER_BACK("pod-restart-required"),
    VALIDATING("validation-required"),
    DONE("upgrade-done");

    private final String state;

    Step(String state) {
      this.state = state;
    }

    private boolean isPaused() {
      return compareTo(VALIDATING) < 0;
    }
  }

  private final GpuNode node;
  private final AgentOnNode agent;
  private final NodePromises promises;
  private final Kills kills;

  DriverReplacementKillTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    promises = new NodePromises(node);
    kills = new Kills(node, agent, List.of());
    promises.ask(agent);
  }

  @AfterEach
  void close() {
    promises.askNoMore(agent);
    promises.close();
    agent.close();
    node.offerNothing();
  }

  @Test
  void inWhicheverStateTheAgentDiesTheNextOneCarriesOn() {
    agent.begin("pitcrew-agent");
    awaitAllWell();
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (GpuPod pod = node.run(1);
        var losses = Losses.watch(node.client(), node.node().name())) {
      Map<String, Set<String>> before = node.devices().ofPods();
      for (boolean answered : new boolean[] {false, true}) {
        for (Step step : Step.values()) {
          surviveKillIn(step, answered);
          assertThat(pod.isRunning()).as("after %s", step).isTrue();
          assertThat(node.devices().ofPods()).as("after %s", step).isEqualTo(before);
          assertThat(losses.seen()).as("after %s", step).isEmpty();
        }
        awaitAllWell();
      }
      assertThat(losses.labels()).isPositive();
    }
    kills.assertSurvived(2 * Step.values().length);
  }

  /// @param answered whether the agent has said what it sees before it is killed
  private void surviveKillIn(Step step, boolean answered) {
    take(step);
    if (answered) {
      awaitHolds(step);
    }
    agent.kill();
    String found = phase();
    long start = System.nanoTime();
    agent.begin("pitcrew-agent");
    awaitAtWork();
    awaitHolds(step);
    kills.survived(
        "%-11s killed %-15s left driver %-7s; said what is so %5d ms after the new start"
            .formatted(
                step, answered ? "after it said so" : "at once", found, Kills.millisSince(start)));
  }

  /// What holds already counts only once the next agent has read its orders.
  private void awaitAtWork() {
    kills.soon(
        "the next agent is at work",
        () -> assertThat(agent.lastOutput()).contains("on this node: feature labels on"));
  }

  private void take(Step step) {
    agent.label(STATE, step.state);
    switch (step) {
      case PAUSED -> OPERANDS.forEach(this::pause);
      case DRIVER_GONE -> node.gpus().unloadDriver();
      case DRIVER_BACK -> node.gpus().loadDriver();
      case VALIDATING -> OPERANDS.forEach(operand -> agent.deploy(operand, true));
      case DONE -> {}
    }
  }

  private void pause(String operand) {
    agent.label("nvidia.com/gpu.deploy." + operand, PAUSED);
  }

  private void awaitHolds(Step step) {
    if (step.isPaused()) {
      kills.soon(
          "the driver is released in " + step,
          () -> {
            assertThat(promises.isDriverReleased()).isTrue();
            assertThat(promises.ready()).isEmpty();
            assertThat(phase()).isEqualTo("Paused");
            assertThat(agent.condition("DriverReady")).isEqualTo("False");
            assertThat(node.devices().healthy(GpuNode.GPU)).isZero();
          });
    } else {
      awaitAllWell();
    }
  }

  private void awaitAllWell() {
    kills.soon(
        "all well",
        () -> {
          assertThat(node.devices().healthy(GpuNode.GPU)).isEqualTo(GpuNode.GPUS);
          assertThat(promises.ready()).isEqualTo(NodePromises.ALL);
          assertThat(promises.drafts()).isEmpty();
          assertThat(promises.isDriverReleased()).isFalse();
          assertThat(phase()).isEqualTo("Ready");
          assertThat(agent.status("/driver/owner")).isEqualTo("Container");
          assertThat(agent.condition("DriverReady")).isEqualTo("True");
          assertThat(agent.checks())
              .containsEntry("driver", "Passed")
              .containsEntry("cuda", "Passed")
              .containsEntry("plugin", "Passed");
          assertThat(agent.label(COUNT)).isEqualTo(String.valueOf(GpuNode.GPUS));
        });
  }

  private String phase() {
    return agent.status("/driver/phase");
  }
}
