package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.ProbePod;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// Which GPUs a pod gets: those that are close to each other, on one NUMA node where the kubelet's
/// topology manager can have it so. GPUs 0 to 3 are on the first node; each even one shares a PCIe
/// switch with the next.
@WithGpuNode
class TopologyTest {
  private static final int PER_NUMA_NODE = 4;

  private final GpuNode node;

  TopologyTest(GpuNode node) {
    this.node = node;
    node.offerWhole(Wanted.DEFAULT, GpuNode.GPU, GpuNode.GPUS);
  }

  @Test
  void fourOfEightAreOnOneNumaNodeAndTwoBehindOneSwitch() {
    try (var four = node.run(PER_NUMA_NODE);
        var two = node.run(2);
        var last = node.run(2)) {
      assertThat(numaNodes(four.gpus())).hasSize(1);
      assertThat(switches(two.gpus())).hasSize(1);
      assertThat(switches(last.gpus())).hasSize(1);
      assertThat(numaNodes(two.gpus())).isNotEqualTo(numaNodes(four.gpus()));
    }
  }

  @Test
  void gpusThatAreFreeOnTwoNumaNodesOnlyAreNotGivenTogether() {
    try (var three = node.run(3);
        var two = node.run(2);
        var refused = ProbePod.create(node.client(), node.pod(3))) {
      assertThat(numaNodes(three.gpus())).hasSize(1);
      assertThat(numaNodes(two.gpus())).hasSize(1).isNotEqualTo(numaNodes(three.gpus()));

      refused.await(pod -> "Failed".equals(pod.getStatus().getPhase()));

      assertThat(refused.current().getStatus().getReason()).isEqualTo("TopologyAffinityError");
    }
  }

  private static Set<Integer> numaNodes(List<String> gpus) {
    return numbers(gpus, PER_NUMA_NODE);
  }

  private static Set<Integer> switches(List<String> gpus) {
    return numbers(gpus, 2);
  }

  private static Set<Integer> numbers(List<String> gpus, int perUnit) {
    return gpus.stream()
        .map(gpu -> Integer.parseInt(gpu.substring("/dev/nvidia".length())) / perUnit)
        .collect(Collectors.toSet());
  }
}
