package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.plugin.TestPodResources.Held;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Fields of single NVLinks: of a GPU, with the link in the name, and of links as entities.
class NvLinksScrapeTest {
  private static final String REPLAYS = "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_PER_LINK_TOTAL";
  private static final String FLITS = "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_PER_LINK_TOTAL";
  private static final String BOTH = "DCGM_FI_DEV_NVLINK_THROUGHPUT_PER_LINK";
  private static final String SENT = "DCGM_FI_DEV_NVLINK_TX_THROUGHPUT_PER_LINK";
  private static final String RECEIVED_BYTES = "DCGM_FI_PROF_NVLINK_RX_BYTES_PER_LINK";

  @TempDir Path folder;

  @Test
  void errorsOfLinksBeyondTheTwelfth_areExported() {
    try (var sampled =
        sampled(
            "h100",
            Map.of(),
            "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L14",
            "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L14",
            "DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L14",
            "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L14",
            "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L17")) {
      sampled.node.set(0, "nvlink_error_link", "14");
      sampled.node.set(0, "nvlink_replay_errors", "5");
      sampled.node.set(0, "nvlink_recovery_errors", "6");
      sampled.node.set(0, "nvlink_crc_flit_errors", "7");
      sampled.node.set(0, "nvlink_crc_data_errors", "8");
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L14", 0)).contains(5.0);
        assertThat(scrape.value("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_L14", 0)).contains(6.0);
        assertThat(scrape.value("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L14", 0)).contains(7.0);
        assertThat(scrape.value("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L14", 0)).contains(8.0);
        assertThat(scrape.value("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_L17", 0)).contains(0.0);
      });
    }
  }

  @Test
  void eachLinkHasSeriesOfItsOwn() throws IOException {
    SimulatedNode node = node("h100");
    String gpu = node.gpus().getFirst().uuid();
    node.set(0, "nvlink_error_link", "3");
    node.set(0, "nvlink_replay_errors", "9");
    node.set(0, "nvlink_tx_kibps", "18000000");
    node.set(0, "nvlink_rx_kibps", "36000000");
    try (var _ = TestPodResources.start(node.hostRoot(), new Held("team", "a", "uid-1", gpu));
        var sampled =
            sampled(
                node,
                Map.of("DCGM_EXPORTER_KUBERNETES", "true"),
                REPLAYS,
                FLITS,
                BOTH,
                SENT,
                RECEIVED_BYTES)) {
      sampled.until(scrape -> {
        assertThat(scrape.of(REPLAYS, Map.of("pod", "a"))).hasSize(18);
        assertThat(link(scrape, REPLAYS, 4)).isEqualTo(9);
        assertThat(link(scrape, REPLAYS, 1)).isZero();
        assertThat(link(scrape, FLITS, 4)).isZero();
        assertThat(link(scrape, SENT, 18)).isBetween(500.0, 2000.0);
        assertThat(link(scrape, BOTH, 18)).isBetween(1500.0, 6000.0);
        assertThat(link(scrape, RECEIVED_BYTES, 18)).isBetween(2.0e9, 2.1e9);
      });
      assertThat(
              sampled
                  .text("")
                  .lines()
                  .filter(line -> line.startsWith(REPLAYS + "{nvlink=\"4\""))
                  .toList())
          .containsExactly(
              REPLAYS
                  + "{nvlink=\"4\",gpu=\"0\",gpu_uuid=\"%s\",pci_bus_id=\"%s\",device=\"nvidia0\",model_name=\"NVIDIA H100 80GB HBM3\",hostname=\"node-1\",container=\"main\",namespace=\"team\",pod=\"a\"} 9"
                      .formatted(gpu, "00000000:1B:00.0"));
    }
  }

  @Test
  void portsOfLinksAreCountedFromBlackwellOn() {
    String down = "DCGM_FI_DEV_NVLINK_PPCNT_PHYSICAL_LINK_DOWN_COUNTER";
    String recoveries = "DCGM_FI_DEV_NVLINK_PPCNT_RECOVERY_TOTAL_SUCCESSFUL_EVENTS";
    String retries = "DCGM_FI_DEV_NVLINK_PPCNT_PLR_XMIT_RETRY_EVENTS";
    String recovery = "DCGM_FI_DEV_NVLINK_PPRM_OPER_RECOVERY";
    try (var sampled = sampled("gb200", Map.of(), down, recoveries, retries, recovery)) {
      sampled.node.set(0, "nvlink_error_link", "17");
      sampled.node.set(0, "nvlink_port_events", "10000");
      sampled.until(scrape -> {
        assertThat(scrape.of(down, Map.of("gpu", "0"))).hasSize(18);
        assertThat(link(scrape, down, 18)).isEqualTo(10001);
        assertThat(link(scrape, recoveries, 18)).isEqualTo(10101);
        assertThat(link(scrape, retries, 18)).isEqualTo(10306);
        assertThat(link(scrape, recovery, 18)).isEqualTo(11001);
        assertThat(link(scrape, down, 1)).isZero();
      });
    }
    try (var sampled = sampled("h100", Map.of(), down)) {
      sampled.until(scrape -> assertThat(unsupported(scrape)).containsExactly(down));
    }
  }

  @Test
  void aGpuWithFewerLinksHasFewerSeriesAndOneWithoutIsNamed() {
    try (var sampled = sampled("a100-40g", Map.of(), REPLAYS, RECEIVED_BYTES)) {
      sampled.until(scrape -> {
        assertThat(scrape.of(REPLAYS, Map.of("gpu", "0"))).hasSize(12);
        assertThat(unsupported(scrape)).containsExactly(RECEIVED_BYTES);
      });
    }
    try (var sampled = sampled("l40s", Map.of(), REPLAYS, BOTH)) {
      sampled.until(scrape -> assertThat(unsupported(scrape)).containsExactly(REPLAYS, BOTH));
      assertThat(sampled.scrape().types()).doesNotContainKeys(REPLAYS, BOTH);
    }
  }

  private static double link(Scrape scrape, String metric, int number) {
    return scrape.of(metric, Map.of("nvlink", String.valueOf(number))).stream()
        .mapToDouble(Scrape.Sample::value)
        .findFirst()
        .orElse(-1);
  }

  private static List<String> unsupported(Scrape scrape) {
    return scrape.of("pitcrew_metrics_unsupported", Map.of("gpu", "0")).stream()
        .map(it -> it.labels().getOrDefault("field", ""))
        .toList();
  }

  private SimulatedNode node(String board) {
    return SimulatedNode.create(folder.resolve(board), SimulatedNodeOptions.of(board).withGpus(1));
  }

  private Sampled sampled(String board, Map<String, String> variables, String... fields) {
    return sampled(node(board), variables, fields);
  }

  private static Sampled sampled(
      SimulatedNode node, Map<String, String> variables, String... fields) {
    CounterList counters =
        CounterList.parse(
            Sampled.TABLE,
            "c.csv",
            Stream.of(fields).map(field -> field + ", gauge, x\n").collect(Collectors.joining()));
    assertThat(counters.problems()).isEmpty();
    return new Sampled(node, variables, new CountersInForce(counters, List.of()));
  }
}
