package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A virtual machine to which one H100 of a board with NVSwitches is given: the GPU's NVLinks are
/// off. The simulator answers as a real one did, see native/sim/test/h100.c.
class PassedThroughGpuTest {
  @TempDir Path folder;

  @Test
  void onlyNvlinkHasNoSeriesOfTheDefaultCounters() {
    try (var sampled = new Sampled(node(), Map.of())) {
      sampled.until(scrape -> {
        assertThat(scrape.value("pitcrew_metrics_gpu_answers", 0)).contains(1.0);
        assertThat(unsupported(scrape)).containsExactly("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL");
      });
    }
  }

  @Test
  void theFabricIsNotSupportedAndThePlatformHasAModule() {
    try (var sampled =
        sampled(
            "DCGM_FI_DEV_VIRTUAL_MODE",
            "DCGM_FI_DEV_FABRIC_MANAGER_STATUS",
            "DCGM_FI_DEV_FABRIC_HEALTH_MASK",
            "DCGM_FI_DEV_PLATFORM_MODULE_ID",
            "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
            "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L12",
            "DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS",
            "DCGM_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS",
            "DCGM_FI_DEV_TOTAL_APP_CLOCKS_VIOLATION")) {
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_VIRTUAL_MODE", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_HEALTH_MASK", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_PLATFORM_MODULE_ID", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS", 0))
            .contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_TOTAL_APP_CLOCKS_VIOLATION", 0)).contains(0.0);
        assertThat(unsupported(scrape))
            .containsExactlyInAnyOrder(
                "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL",
                "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L12");
      });
    }
  }

  /// NVML leaves the health of such a GPU's fabric as it was where it was to be written.
  @Test
  void noOtherReadingIsTakenForTheHealthOfTheFabric() {
    try (var sampled = sampled("DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY")) {
      // In NVML's struct, the upper half of these bytes lies where the health does.
      sampled.node.set(0, "memory_used_mib", "9000");
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_FB_USED", 0)).contains(9000.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY", 0)).contains(0.0);
      });
    }
  }

  private static List<String> unsupported(Scrape scrape) {
    return scrape.of("pitcrew_metrics_unsupported", Map.of("gpu", "0")).stream()
        .map(it -> it.labels().getOrDefault("field", ""))
        .toList();
  }

  private Sampled sampled(String... fields) {
    var lines =
        Stream.of(fields).map(field -> field + ", gauge, x\n").collect(Collectors.joining());
    var counters = CounterList.parse(Sampled.TABLE, "c.csv", lines);
    assertThat(counters.problems()).isEmpty();
    return new Sampled(node(), Map.of(), new CountersInForce(counters, List.of()));
  }

  private SimulatedNode node() {
    var options = SimulatedNodeOptions.of("h100").withGpus(1).withDriver("580.159.04", "13.0");
    var node = SimulatedNode.create(folder, options);
    node.set(0, "nvlink_disabled", "1");
    node.set(0, "virtualization_mode", "1");
    return node;
  }
}
