package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `DCGM_EXP_GPU_HEALTH_STATUS` of GPUs that fall unhealthy.
class HealthScrapeTest {
  private static final String METRIC = "DCGM_EXP_GPU_HEALTH_STATUS";

  /// What is set in the simulator, and the watch, code and value to which it leads.
  private static final String CAUSES =
      """
      thermal_violation_ns 5000000 THERMAL DCGM_FR_CLOCKS_EVENT_THERMAL 10
      power_violation_ns 5000000 POWER DCGM_FR_CLOCKS_EVENT_POWER 10
      pcie_replays 9 PCIE DCGM_FR_PCI_REPLAY_RATE 10
      nvlink_crc_data_errors 1 NVLINK DCGM_FR_NVLINK_ERROR_THRESHOLD 10
      nvlink_crc_flit_errors 7000 NVLINK DCGM_FR_NVLINK_CRC_ERROR_THRESHOLD 20
      recovery_action 3 DRIVER DCGM_FR_GPU_RECOVERY_DRAIN_P2P 10
      recovery_action 2 DRIVER DCGM_FR_GPU_RECOVERY_REBOOT 20
      remapped_uncorrectable_rows 512 MEM DCGM_FR_UNCORRECTABLE_ROW_REMAP 10
      remap_failed 1 MEM DCGM_FR_ROW_REMAP_FAILURE 20
      """;

  @TempDir Path folder;

  @Test
  void eachCause_isExportedWithItsCode_andForItsGpuAlone() {
    try (var sampled = sampled()) {
      sampled.until(scrape -> {
        assertThat(scrape.of(METRIC, Map.of("gpu", "1"))).hasSize(11);
        assertThat(scrape.of(METRIC, Map.of("health_error_code", "DCGM_FR_OK"))).hasSize(22);
      });
      CAUSES
          .lines()
          .map(line -> line.split(" ", -1))
          .forEach(words -> {
            sampled.node.set(1, words[0], words[1]);
            sampled.until(scrape -> assertIncident(scrape, 1, words[2], words[3], words[4]));
          });

      assertThat(sampled.scrape().of(METRIC, Map.of("gpu", "0")))
          .hasSize(11)
          .allMatch(it -> it.value() == 0);
      sampled.node.set(1, "remap_failed", "0");
      sampled.until(
          scrape -> assertIncident(scrape, 1, "MEM", "DCGM_FR_UNCORRECTABLE_ROW_REMAP", "10"));
    }
  }

  @Test
  void xidsCountWhileTheyAreLate() {
    try (var sampled = sampled()) {
      sampled.until(scrape -> assertThat(scrape.of(METRIC, Map.of("gpu", "0"))).hasSize(11));
      sampled.node.xid(0, 94);
      sampled.until(scrape -> assertIncident(scrape, 0, "ALL", "DCGM_FR_XID_ERROR", "10"));
      sampled.node.xid(0, 79);
      sampled.until(scrape -> assertIncident(scrape, 0, "ALL", "DCGM_FR_FALLEN_OFF_BUS", "20"));
      sampled.node.xid(0, 31);
      sampled.until(scrape -> assertIncident(scrape, 0, "MEM", "DCGM_FR_XID_ERROR", "10"));
    }
  }

  @Test
  void dividedGpu_isExportedAsAWhole() {
    try (var sampled = sampled()) {
      sampled.node.divide("mode 1 1 1\ngi 1 1 2 0 4\nci 1 1 0 2 0 3\n");
      sampled.follow();

      sampled.until(scrape -> {
        assertThat(scrape.of("DCGM_FI_DEV_GPU_TEMP", Map.of("gpu", "1", "GPU_I_ID", "1")))
            .hasSize(1);
        assertThat(scrape.of(METRIC, Map.of("gpu", "1")))
            .hasSize(11)
            .noneMatch(it -> it.labels().containsKey("GPU_I_ID"));
      });
    }
  }

  private static void assertIncident(
      Scrape scrape, int gpu, String watch, String code, String value) {
    assertThat(scrape.of(METRIC, Map.of("gpu", String.valueOf(gpu), "health_watch", watch)))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.labels()).containsEntry("health_error_code", code);
          assertThat(it.value()).isEqualTo(Double.parseDouble(value));
        });
  }

  private Sampled sampled() {
    var counters =
        CounterList.parse(
            Sampled.TABLE,
            "c.csv",
            "DCGM_EXP_GPU_HEALTH_STATUS, gauge, x\nDCGM_FI_DEV_GPU_TEMP, gauge, x\n");
    SimulatedNode node =
        SimulatedNode.create(
            folder, SimulatedNodeOptions.of("h100").withGpus(2).withDriver("580.95.05", "13.0"));
    return new Sampled(node, Map.of(), new CountersInForce(counters, List.of()));
  }
}
