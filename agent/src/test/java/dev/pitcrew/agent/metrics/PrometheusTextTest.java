package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.prometheus.Promtool;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Prometheus' own reader takes every page, and has nothing to say but about names, which are the
/// reference's.
class PrometheusTextTest {
  private static final Pattern ABOUT_NAMES =
      Pattern.compile(
          "(?:DCGM|dcgm)_\\w+ (?:counter metrics should have \"_total\" suffix|metric name should not include type 'counter'|label names should be written in 'snake_case' not 'camelCase')");

  @TempDir Path folder;

  @Test
  void pageOfWholeGpusInstancesAndJobs_isAsRecorded() throws Exception {
    SimulatedNode node = node();
    node.divide("mode 1 1 1\ngi 1 1 2 0 4\nci 1 1 0 2 0 3\ngi 1 2 0 4 1\nci 1 2 0 0 0 1\n");
    Path jobs = Files.createDirectories(node.hostRoot().resolve("var/lib/jobs"));
    Files.writeString(jobs.resolve("0"), "47\"11\n47\\12\n");
    try (var sampled = new Sampled(node, Map.of("DCGM_HPC_JOB_MAPPING_DIR", "/var/lib/jobs"))) {
      sampled.untilSampled();
      node.xid(0, 31);
      sampled.until(
          scrape -> assertThat(scrape.of("DCGM_FI_DEV_XID_ERRORS", Map.of("gpu", "0"))).hasSize(2));

      assertTaken(sampled.text(""));
    }
  }

  @Test
  void computedSeries_andHelpTextOfManyLines_areServed() {
    CounterList counters =
        CounterList.parse(
            Sampled.TABLE,
            "c.csv",
            """
            DCGM_EXP_XID_ERRORS_COUNT, gauge, x
            DCGM_EXP_CLOCK_EVENTS_COUNT, gauge, x
            DCGM_EXP_P2P_STATUS, gauge, x
            dcgm_gpu_temp, gauge,"a \\ and
            a second line, of °C"
            """);
    assertThat(counters.problems()).isEmpty();
    var node = node();
    node.set(0, "clock_event_reasons", "68");
    try (var sampled = new Sampled(node, Map.of(), new CountersInForce(counters, List.of()))) {
      sampled.until(scrape -> {
        assertThat(scrape.value("dcgm_gpu_temp", 1)).as("temperature").isPresent();
        assertThat(scrape.value("DCGM_EXP_CLOCK_EVENTS_COUNT", 0)).as("clock events").isPresent();
      });

      assertTaken(sampled.text(""));
    }
  }

  private void assertTaken(String page) {
    CommandRun run = Promtool.in(folder).checkMetrics(page);

    assertThat(run.status()).as(run.output()).isIn(0, 3);
    assertThat(run.output().lines()).allMatch(ABOUT_NAMES.asMatchPredicate());
  }

  private SimulatedNode node() {
    return SimulatedNode.create(
        folder.resolve("node"), SimulatedNodeOptions.of("h100").withGpus(2));
  }
}
