package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.ProbePod;
import org.junit.jupiter.api.Test;

/// Time-slicing: several pods have one GPU.
@WithGpuNode
class SharedGpusTest {
  private static final int REPLICAS = 4;
  private static final String RESOURCES = "resources: [{name: nvidia.com/gpu, replicas: 4}]";

  private final GpuNode node;

  SharedGpusTest(GpuNode node) {
    this.node = node;
  }

  @Test
  void podsAreSpreadOverTheGpusAndThenShareThem() {
    node.offerWhole(
        Wanted.DEFAULT.sharedBy("{" + RESOURCES + "}"), GpuNode.GPU, GpuNode.GPUS * REPLICAS);

    try (var one = node.run(1);
        var other = node.run(1)) {
      assertThat(one.gpus()).hasSize(1);
      assertThat(other.gpus()).hasSize(1).doesNotContainAnyElementsOf(one.gpus());
      try (var rest = node.run(GpuNode.GPUS * REPLICAS - 2)) {
        assertThat(rest.gpus()).hasSize(GpuNode.GPUS);
      }
    }
  }

  @Test
  void replicasMayHaveANameOfTheirOwn() {
    node.offerWhole(
        Wanted.DEFAULT.sharedBy("{renameByDefault: true, " + RESOURCES + "}"),
        "nvidia.com/gpu.shared",
        GpuNode.GPUS * REPLICAS);

    node.awaitAllocatable(GpuNode.GPU, 0);
    try (var pod = node.run(node.pod("nvidia.com/gpu.shared", 1))) {
      assertThat(pod.gpus()).hasSize(1);
    }
  }

  @Test
  void podThatRequestsTwoReplicas_isRefusedIfConfigured() {
    node.offerWhole(
        Wanted.DEFAULT.sharedBy("{failRequestsGreaterThanOne: true, " + RESOURCES + "}"),
        GpuNode.GPU,
        GpuNode.GPUS * REPLICAS);

    try (var greedy = ProbePod.create(node.client(), node.pod(2));
        var modest = node.run(1)) {
      greedy.await(pod -> "Failed".equals(pod.getStatus().getPhase()));
      assertThat(greedy.current().getStatus().getReason()).isEqualTo("UnexpectedAdmissionError");
      assertThat(greedy.current().getStatus().getMessage())
          .contains("maximum request size for shared resources is 1; found 2: ask for 1 in");
      assertThat(modest.gpus()).hasSize(1);
    }
  }
}
