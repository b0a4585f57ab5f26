package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnsupportedFieldsTest {
  private static final String METRIC = "pitcrew_metrics_unsupported";

  @TempDir Path folder;

  @Test
  void defaultCountersThatABoardDoesNotHaveAreNamed() {
    assertThat(unsupported("a100-40g"))
        .containsExactlyInAnyOrder(
            "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
            "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
            "DCGM_FI_PROF_DRAM_ACTIVE",
            "DCGM_FI_PROF_PCIE_TX_BYTES",
            "DCGM_FI_PROF_PCIE_RX_BYTES");
    assertThat(unsupported("t4"))
        .contains("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS")
        .doesNotContain("DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_XID_ERRORS");
  }

  private Set<String> unsupported(String board) {
    try (var sampled = sampled(board)) {
      sampled.until(scrape -> {
        assertThat(scrape.value("pitcrew_metrics_gpu_answers", 0)).contains(1.0);
        assertThat(scrape.of(METRIC, Map.of("gpu", "0"))).isNotEmpty();
      });
      var scrape = sampled.scrape();
      return scrape.of(METRIC, Map.of("gpu", "0")).stream()
          .peek(it -> assertThat(it.value()).isEqualTo(1))
          .map(it -> it.labels().get("field"))
          .peek(it -> assertThat(scrape.types()).doesNotContainKey(it))
          .collect(Collectors.toSet());
    }
  }

  @Test
  void aBoardThatHasAllCountersIsNotNamed() {
    try (var sampled = sampled("h100")) {
      sampled.untilSampled();
      assertThat(sampled.scrape().types()).doesNotContainKey(METRIC);
    }
  }

  @Test
  void countersOfInstancesAreNotNamedWhereTheInstancesHaveThem() {
    try (var sampled = sampled("h100")) {
      sampled.node.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");
      sampled.follow();
      sampled.until(scrape ->
          assertThat(scrape.of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", Map.of("GPU_I_ID", "1")))
              .hasSize(1));
      assertThat(sampled.scrape().of(METRIC, Map.of()))
          .extracting(it -> it.labels().get("field"))
          .contains("DCGM_FI_DEV_GPU_UTIL")
          .doesNotContain("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_DEV_FB_USED");
    }
  }

  @Test
  void eachModelIsLoggedOnce() {
    var lines = new ArrayList<String>();
    var fields = new UnsupportedFields(lines::add);
    for (int round = 0; round < 3; round++) {
      fields.add("Tesla T4", new LinkedHashSet<>(List.of("DCGM_FI_B", "DCGM_FI_A")));
      fields.add("NVIDIA L4", new LinkedHashSet<>(List.of("DCGM_FI_A")));
      fields.add("NVIDIA H100", new LinkedHashSet<>());
    }
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst())
        .startsWith("GPU model Tesla T4: no series of DCGM_FI_B, DCGM_FI_A,");

    fields.add("Tesla T4", new LinkedHashSet<>(List.of("DCGM_FI_A", "DCGM_FI_C")));
    assertThat(lines).hasSize(3);
    assertThat(lines.getLast()).startsWith("GPU model Tesla T4: no series of DCGM_FI_C,");
  }

  private Sampled sampled(String board) {
    return new Sampled(
        SimulatedNode.create(folder.resolve(board), SimulatedNodeOptions.of(board).withGpus(1)),
        Map.of());
  }
}
