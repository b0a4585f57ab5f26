package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.plugin.TestPodResources.Held;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// For how long GPUs are little used, and who holds them.
class UseLogTest {
  private static final String BELOW = "pitcrew_gpu_utilization_below_seconds";
  private static final String HOLDER = "pitcrew_gpu_holder_seconds";

  @TempDir Path folder;

  @Test
  void timeBelowALimit_beginsAgainWhenItIsReached() {
    SimulatedNode node = node("h100");
    node.set(0, "gpu_percent", "3");
    try (var sampled = new Sampled(node, Map.of())) {
      sampled.until(scrape -> {
        assertThat(below(scrape, "0.05")).isGreaterThanOrEqualTo(2);
        assertThat(below(scrape, "0.05")).isEqualTo(below(scrape, "+Inf"));
        assertThat(below(scrape, "0.01")).isZero();
      });

      node.set(0, "gpu_percent", "10");
      sampled.until(scrape -> {
        assertThat(below(scrape, "0.05")).isZero();
        assertThat(below(scrape, "0.1")).as("a limit that is reached is not below").isZero();
        assertThat(below(scrape, "0.25")).isEqualTo(below(scrape, "+Inf")).isPositive();
      });
    }
  }

  @Test
  void timeWithoutSamples_isNotCounted() {
    try (var sampled = new Sampled(node("h100"), Map.of())) {
      sampled.until(scrape -> assertThat(below(scrape, "+Inf")).isGreaterThanOrEqualTo(2));

      sampled.metrics.leave("paused-for-driver-upgrade");
      sampled.until(scrape -> assertThat(scrape.types()).doesNotContainKey(BELOW));
      sampled.follow();

      sampled.until(scrape -> assertThat(scrape.types()).containsKey(BELOW));
      assertThat(below(sampled.scrape(), "+Inf")).isLessThan(2);
    }
  }

  /// A divided GPU has no utilisation of its own; before Hopper its instances have none either.
  @Test
  void instances_haveTimesWhereTheBoardMeasuresThem() {
    SimulatedNode node = node("h100");
    node.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");
    try (var sampled = new Sampled(node, Map.of())) {
      sampled.until(scrape ->
          assertThat(scrape.of(BELOW, Map.of("GPU_I_ID", "1", "below", "+Inf"))).hasSize(1));
      assertThat(sampled.scrape().of(BELOW, Map.of("below", "+Inf"))).hasSize(1);
    }
    SimulatedNode older = SimulatedNode.create(folder.resolve("a100"), options("a100-40g"));
    older.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");
    try (var sampled = new Sampled(older, Map.of())) {
      sampled.until(scrape -> assertThat(scrape.value("DCGM_FI_DEV_FB_USED", 0)).isPresent());
      assertThat(sampled.scrape().types()).doesNotContainKey(BELOW);
    }
  }

  @Test
  void holders_areAllNamedWithTheTime() throws IOException {
    SimulatedNode node = node("h100");
    String gpu = node.gpus().getFirst().uuid();
    var settings = Map.of("DCGM_EXPORTER_KUBERNETES", "true");
    try (var _ = TestPodResources.start(node.hostRoot(), new Held("team", "a", "u", gpu));
        var sampled = new Sampled(node, settings)) {
      sampled.until(scrape -> {
        assertThat(holders(scrape)).containsExactly("a false");
        assertThat(scrape.value(HOLDER, 0).orElseThrow()).isGreaterThanOrEqualTo(1);
      });
    }
    try (var _ =
            TestPodResources.start(
                node.hostRoot(),
                new Held("team", "a", "u", gpu + "::0"),
                new Held("team", "b", "v", gpu + "::1"));
        var sampled = new Sampled(node, settings)) {
      sampled.until(scrape -> assertThat(holders(scrape)).containsExactly("a true", "b true"));
      // The counters' series name one of them.
      assertThat(sampled.scrape().of("DCGM_FI_DEV_GPU_TEMP", Map.of())).hasSize(1);
    }
  }

  private static double below(Scrape scrape, String limit) {
    return scrape.of(BELOW, Map.of("below", limit)).stream()
        .map(Scrape.Sample::value)
        .findFirst()
        .orElse(-1.0);
  }

  private static List<String> holders(Scrape scrape) {
    return scrape.of(HOLDER, Map.of("namespace", "team")).stream()
        .map(it -> it.labels().get("pod") + " " + it.labels().get("shared"))
        .sorted()
        .collect(Collectors.toList());
  }

  private SimulatedNode node(String board) {
    return SimulatedNode.create(folder.resolve(board), options(board));
  }

  private static SimulatedNodeOptions options(String board) {
    return SimulatedNodeOptions.of(board).withGpus(1);
  }
}
