package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefaultScrapeTest {
  private static final Path RECORDED = Path.of("src/test/resources/metrics/default-counters.txt");

  /// What the simulator's values are called, and what the metric shows for the second one.
  private static final String CHANGES =
      """
      DCGM_FI_DEV_SM_CLOCK sm_clock_mhz 1234 1234
      DCGM_FI_DEV_MEM_CLOCK memory_clock_mhz 2345 2345
      DCGM_FI_DEV_MEMORY_TEMP memory_temperature_c 71 71
      DCGM_FI_DEV_GPU_TEMP temperature_c 72 72
      DCGM_FI_DEV_POWER_USAGE power_mw 123456 123.456
      DCGM_FI_DEV_PCIE_REPLAY_COUNTER pcie_replays 11 11
      DCGM_FI_DEV_GPU_UTIL gpu_percent 81 81
      DCGM_FI_DEV_MEM_COPY_UTIL memory_percent 82 82
      DCGM_FI_DEV_ENC_UTIL encoder_percent 83 83
      DCGM_FI_DEV_DEC_UTIL decoder_percent 84 84
      DCGM_FI_DEV_FB_USED memory_used_mib 5000 5000
      DCGM_FI_DEV_FB_RESERVED memory_reserved_mib 600 600
      DCGM_FI_DEV_VGPU_LICENSE_STATUS licensed 1 1
      DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS remapped_uncorrectable_rows 3 3
      DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS remapped_correctable_rows 4 4
      DCGM_FI_DEV_ROW_REMAP_FAILURE remap_failed 1 1
      DCGM_FI_PROF_GR_ENGINE_ACTIVE gpu_percent 81 0.81
      DCGM_FI_PROF_PIPE_TENSOR_ACTIVE tensor_percent 42 0.42
      DCGM_FI_PROF_DRAM_ACTIVE dram_percent 43 0.43
      DCGM_FI_PROF_PCIE_TX_BYTES pcie_tx_kbps 1000 1024000
      DCGM_FI_PROF_PCIE_RX_BYTES pcie_rx_kbps 2000 2048000
      """;

  @TempDir Path folder;

  @Test
  void everyDefaultCounterFollowsTheGpu() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      CHANGES
          .lines()
          .map(line -> line.split(" ", -1))
          .forEach(words -> sampled.node.set(1, words[1], words[2]));
      sampled.node.set(1, "memory_mib", "90000");
      sampled.node.set(1, "energy_mj", "9000000000");
      sampled.node.set(1, "nvlink_tx_kibps", "2000000");
      sampled.node.set(1, "nvlink_rx_kibps", "1000000");
      sampled.node.xid(1, 79);

      sampled.until(scrape -> {
        CHANGES
            .lines()
            .map(line -> line.split(" ", -1))
            .forEach(words ->
                assertThat(scrape.value(words[0], 1))
                    .as(words[0])
                    .contains(Double.valueOf(words[3])));
        assertThat(scrape.value("DCGM_FI_DEV_FB_FREE", 1)).contains(84400.0);
        assertThat(scrape.value("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 1))
            .hasValueSatisfying(it -> assertThat(it).isGreaterThan(9e9));
        assertThat(scrape.value("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", 1))
            .hasValueSatisfying(it -> assertThat(it).isBetween(1500.0, 6000.0));
        assertThat(
                scrape.of(
                    "DCGM_FI_DEV_XID_ERRORS",
                    Map.of("gpu", "1", "err_code", "79", "err_msg", "GPU has fallen off the bus")))
            .hasSize(1);
        // Nothing of the other GPU.
        assertThat(scrape.value("DCGM_FI_DEV_GPU_TEMP", 0)).isNotEqualTo(Optional.of(72.0));
        assertThat(scrape.value("DCGM_FI_DEV_XID_ERRORS", 0)).isEmpty();
      });
    }
  }

  @Test
  void allDefaultCountersAreThereWithTheirTypes() throws IOException {
    Map<String, String> recorded =
        Files.readAllLines(RECORDED).stream()
            .filter(line -> !line.startsWith("#") && !line.contains(" label "))
            .map(line -> line.split(" ", -1))
            .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      sampled.node.xid(0, 31);
      sampled.until(scrape -> assertThat(scrape.types()).containsAllEntriesOf(recorded));
    }
  }

  @Test
  void valueThatNvmlDoesNotSupport_isLeftOut() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("t4").withGpus(1));
    try (var sampled = new Sampled(node, Map.of())) {
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_GPU_TEMP", 0)).isPresent();
        assertThat(scrape.types())
            .doesNotContainKeys(
                "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
                "DCGM_FI_DEV_MEMORY_TEMP",
                "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS",
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
                "DCGM_FI_DEV_XID_ERRORS");
      });
    }
  }

  @Test
  void aWholeGpuLooksAsTheReferenceWritesIt() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();

      assertThat(sampled.text(""))
          .contains(
              """
              # HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
              # TYPE DCGM_FI_DEV_POWER_USAGE gauge
              DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-12345678-1234-1234-1234-123456780000",pci_bus_id="00000000:1B:00.0",device="nvidia0",modelName="NVIDIA H100 80GB HBM3",hostname="node-1",DCGM_FI_DRIVER_VERSION="550.163.01"} 70.000000
              DCGM_FI_DEV_POWER_USAGE{gpu="1",UUID="GPU-12345678-1234-1234-1234-123456780001",pci_bus_id="00000000:43:00.0",device="nvidia1",modelName="NVIDIA H100 80GB HBM3",hostname="node-1",DCGM_FI_DRIVER_VERSION="550.163.01"} 70.000000
              """);
    }
  }

  @Test
  void instancesHaveSeriesInPlaceOfTheirGpu() {
    try (var sampled = sampled(Map.of())) {
      sampled.node.divide(
          "mode 1 1 1\ngi 1 1 2 0 4\nci 1 1 0 2 0 3\ngi 1 2 0 4 1\nci 1 2 0 0 0 1\n");
      sampled.follow();
      sampled.until(scrape ->
          assertThat(scrape.of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", Map.of("gpu", "1"))).hasSize(2));

      assertThat(sampled.text(""))
          .contains(
              """
              DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-12345678-1234-1234-1234-123456780001",pci_bus_id="00000000:43:00.0",device="nvidia1",modelName="NVIDIA H100 80GB HBM3",GPU_I_PROFILE="3g.40gb",GPU_I_ID="1",hostname="node-1",DCGM_FI_DRIVER_VERSION="550.163.01"} 12
              DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-12345678-1234-1234-1234-123456780001",pci_bus_id="00000000:43:00.0",device="nvidia1",modelName="NVIDIA H100 80GB HBM3",GPU_I_PROFILE="1g.10gb",GPU_I_ID="2",hostname="node-1",DCGM_FI_DRIVER_VERSION="550.163.01"} 12
              """);
      var scrape = sampled.scrape();
      assertThat(scrape.of("DCGM_FI_DEV_GPU_UTIL", Map.of("gpu", "1"))).isEmpty();
      assertThat(scrape.of("DCGM_FI_DEV_GPU_UTIL", Map.of("gpu", "0"))).hasSize(1);
    }
  }

  @Test
  void openMetricsEndsAsItMustAndKeepsTheNames() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();

      String page = sampled.text("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
      assertThat(page).endsWith("# EOF\n").doesNotContain("\n\n");
      assertThat(Scrape.of(page).types())
          .containsEntry("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "unknown")
          .containsEntry("DCGM_FI_DEV_GPU_TEMP", "gauge")
          .containsOnlyKeys(sampled.scrape().types().keySet());
      assertThat(sampled.metrics.page("application/openmetrics-text").contentType())
          .startsWith("application/openmetrics-text; version=1.0.0");
      assertThat(sampled.metrics.page("").contentType()).startsWith("text/plain; version=0.0.4");
    }
  }

  private Sampled sampled(Map<String, String> variables) {
    return new Sampled(
        SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(2)), variables);
  }
}
