package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.node.GpuPod;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// MIG devices as resources of their own, and as GPUs.
@WithGpuNode
class MigResourcesTest {
  private static final String ONE_SLICE = "nvidia.com/mig-1g.10gb";
  private static final String THREE_SLICES = "nvidia.com/mig-3g.40gb";
  private static final int SLICES = 7;
  private static final String CAPABILITIES = "/dev/nvidia-caps/nvidia-cap";

  private final GpuNode node;

  MigResourcesTest(GpuNode node) {
    this.node = node;
  }

  @Test
  void eachProfileIsAResourceBesideTheWholeGpus() {
    node.offer(
        slices(0) + halves(5), Wanted.DEFAULT.with("MIG_STRATEGY", "mixed"), ONE_SLICE, SLICES);

    node.awaitAllocatable(THREE_SLICES, 2);
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 2);
    try (var one = node.run(node.pod(ONE_SLICE, 1));
        var other = node.run(node.pod(ONE_SLICE, 1));
        var half = node.run(node.pod(THREE_SLICES, 1));
        var whole = node.run(GpuNode.GPUS - 2)) {
      assertThat(one.gpus()).containsExactly("/dev/nvidia0");
      assertThat(other.gpus()).containsExactly("/dev/nvidia0");
      assertThat(capabilities(one)).hasSize(2).doesNotContainAnyElementsOf(capabilities(other));
      assertThat(half.gpus()).containsExactly("/dev/nvidia5");
      assertThat(capabilities(half)).hasSize(2);
      assertThat(whole.gpus())
          .hasSize(GpuNode.GPUS - 2)
          .doesNotContain("/dev/nvidia0", "/dev/nvidia5");
    }
  }

  @Test
  void allMigDevicesAreGpusWhereTheyAreAlike() {
    String layout =
        IntStream.range(0, GpuNode.GPUS)
            .mapToObj(MigResourcesTest::slices)
            .collect(Collectors.joining());
    node.offer(
        layout, Wanted.DEFAULT.with("MIG_STRATEGY", "single"), GpuNode.GPU, GpuNode.GPUS * SLICES);

    try (var pod = node.run(1)) {
      assertThat(pod.gpus()).hasSize(1);
      assertThat(capabilities(pod)).hasSize(2);
    }
  }

  private static List<String> capabilities(GpuPod pod) {
    return pod.pod().devices().stream().filter(it -> it.startsWith(CAPABILITIES)).toList();
  }

  /// A GPU with an instance on each slice.
  static String slices(int gpu) {
    return "mode %d 1 1\n".formatted(gpu)
        + IntStream.range(0, SLICES)
            .mapToObj(slice ->
                "gi %1$d %2$d 0 %3$d 1\nci %1$d %2$d 0 0 0 1\n".formatted(gpu, slice + 1, slice))
            .collect(Collectors.joining());
  }

  /// A GPU with two instances of three slices.
  private static String halves(int gpu) {
    return """
    mode %1$d 1 1
    gi %1$d 1 2 0 4
    ci %1$d 1 0 2 0 3
    gi %1$d 2 2 4 4
    ci %1$d 2 0 2 0 3
    """
        .formatted(gpu);
  }
}
