package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsFaultsTest {
  private static final String TEMPERATURE = "DCGM_FI_DEV_GPU_TEMP";
  private static final List<String> NEED_TWO_SAMPLES =
      List.of("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE");

  @TempDir Path folder;

  @Test
  void aScrapeUnderAHungCallAnswersFromTheLastSamplesAndSaysSo() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      sampled.node.hang(0);
      try {
        sampled.until(scrape -> {
          assertThat(scrape.value("pitcrew_metrics_gpu_answers", 0)).contains(0.0);
          assertThat(scrape.value(TEMPERATURE, 0)).isPresent();
        });
        var scrape = sampled.scrape();
        assertThat(scrape.value("pitcrew_metrics_gpu_answers", 1)).contains(1.0);
        // Old values are left out in the end, those of the other GPU stay new.
        sampled.until(later -> {
          assertThat(later.value(TEMPERATURE, 0)).isEmpty();
          assertThat(later.value(TEMPERATURE, 1)).isPresent();
          assertThat(later.value("pitcrew_metrics_sample_age_seconds", 1))
              .hasValueSatisfying(age -> assertThat(age).isLessThan(10));
        });
      } finally {
        sampled.node.release(0);
      }
      sampled.until(scrape -> assertThat(scrape.value(TEMPERATURE, 0)).isPresent());
    }
  }

  @Test
  void aLostGpuHasNoValuesButItsXid() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      sampled.node.xid(0, 79);
      sampled.until(scrape -> assertThat(scrape.value("DCGM_FI_DEV_XID_ERRORS", 0)).contains(79.0));
      sampled.node.lose(0);

      sampled.until(scrape -> {
        assertThat(scrape.value(TEMPERATURE, 0)).isEmpty();
        assertThat(scrape.value("pitcrew_metrics_gpu_answers", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_XID_ERRORS", 0)).contains(79.0);
        assertThat(scrape.value(TEMPERATURE, 1)).isPresent();
      });
    }
  }

  @Test
  void aDriverThatIsLeftAloneLeavesNoValuesBehind() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      sampled.metrics.leave("paused-for-driver-upgrade");

      sampled.until(scrape -> {
        assertThat(scrape.value(TEMPERATURE, 0)).isEmpty();
        assertThat(
                scrape.of(
                    "pitcrew_metrics_problem",
                    Map.of("about", "driver", "why", "paused-for-driver-upgrade")))
            .hasSize(1);
      });

      sampled.follow();
      sampled.until(scrape -> assertThat(scrape.value(TEMPERATURE, 0)).isPresent());
    }
  }

  @Test
  void otherCountersAreServedWithoutARestartAndWrongOnesAreNot() {
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      var before = CountersInForce.defaults(Sampled.TABLE);
      var other = before.read(Sampled.TABLE, "c.csv", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL,counter,ECC");
      sampled.metrics.count(other);
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 0)).contains(0.0);
        assertThat(scrape.types()).doesNotContainKey(TEMPERATURE);
      });

      sampled.metrics.count(other.read(Sampled.TABLE, "c.csv", "NO_FIELD,counter,ECC"));
      sampled.node.doubleBitEccError(0);
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 0)).contains(1.0);
        assertThat(scrape.of("pitcrew_metrics_problem", Map.of("about", "counters"))).hasSize(1);
      });
    }
  }

  @Test
  void noCounterIsMissingWhileOtherCountersComeBesideIt() {
    var before = CountersInForce.defaults(Sampled.TABLE);
    var other =
        before.read(
            Sampled.TABLE,
            "c.csv",
            """
            DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL, counter, x
            DCGM_FI_PROF_GR_ENGINE_ACTIVE, gauge, x
            DCGM_FI_DEV_ECC_DBE_VOL_TOTAL, counter, x
            """);
    try (var sampled = sampled(Map.of())) {
      sampled.untilSampled();
      sampled.until(scrape ->
          assertThat(NEED_TWO_SAMPLES)
              .allSatisfy(name -> assertThat(scrape.value(name, 0)).isPresent()));
      sampled.metrics.count(other);

      var missing = new HashSet<String>();
      sampled.until(scrape -> {
        NEED_TWO_SAMPLES.stream()
            .filter(name -> scrape.value(name, 0).isEmpty())
            .forEach(missing::add);
        assertThat(scrape.value("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", 0)).isPresent();
      });
      assertThat(missing).isEmpty();
    }
  }

  @Test
  void aCountersFileIsReadAgainWhenItChanges() throws Exception {
    Path file = Files.writeString(folder.resolve("c.csv"), "DCGM_FI_DEV_GPU_TEMP, gauge, x\n");
    var problems = new ConcurrentLinkedQueue<String>();
    var counters =
        new CountersFile(() -> file, CountersInForce.defaults(Sampled.TABLE), problems::add);
    try (var sampled = new Sampled(node(), Map.of(), counters)) {
      sampled.until(scrape -> assertThat(scrape.types()).containsKey(TEMPERATURE));

      Files.writeString(file, "DCGM_FI_DEV_SM_CLOCK, gauge, x\n");
      sampled.until(scrape ->
          assertThat(scrape.types())
              .containsKey("DCGM_FI_DEV_SM_CLOCK")
              .doesNotContainKey(TEMPERATURE));

      Files.writeString(file, "DCGM_FI_DEV_SM_CLOCK, gage, x\n");
      sampled.until(scrape -> {
        assertThat(scrape.of("pitcrew_metrics_problem", Map.of("about", "counters"))).hasSize(1);
        assertThat(scrape.value("DCGM_FI_DEV_SM_CLOCK", 0)).isPresent();
      });
      assertThat(problems)
          .singleElement(InstanceOfAssertFactories.STRING)
          .startsWith(file + ":1: 'gage': no type of a metric; write one of")
          .endsWith("; the counters before stay in force");

      Path next = Files.writeString(folder.resolve("next"), "DCGM_FI_DEV_GPU_TEMP, gauge, x\n");
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      sampled.until(scrape -> {
        assertThat(scrape.types()).containsKey(TEMPERATURE);
        assertThat(scrape.of("pitcrew_metrics_problem", Map.of("about", "counters"))).isEmpty();
      });
    }
  }

  @Test
  void xidsClockEventsAndPeersAreCounted() {
    CounterList counters =
        CounterList.parse(
            Sampled.TABLE,
            "c.csv",
            """
            DCGM_EXP_XID_ERRORS_COUNT, gauge, x
            DCGM_EXP_CLOCK_EVENTS_COUNT, gauge, x
            DCGM_EXP_P2P_STATUS, gauge, x
            DCGM_FI_DEV_GPU_TEMP, gauge, x
            DCGM_FI_DEV_SERIAL, label, x
            """);
    try (var sampled = new Sampled(node(), Map.of(), new CountersInForce(counters, List.of()))) {
      sampled.until(scrape -> {
        assertThat(scrape.value(TEMPERATURE, 1)).isPresent();
        assertThat(scrape.of("DCGM_EXP_XID_ERRORS_COUNT", Map.of("gpu", "0")))
            .singleElement()
            .satisfies(it -> assertThat(it.value()).isZero())
            .satisfies(it ->
                assertThat(it.labels())
                    .containsEntry("window_size_in_ms", "300000")
                    .doesNotContainKey("xid")
                    .containsKey("DCGM_FI_DEV_SERIAL"));
        assertThat(scrape.of("DCGM_EXP_P2P_STATUS", Map.of("gpu", "0", "peer_gpu", "1")))
            .hasSize(1);
      });
      sampled.node.xid(0, 31);
      sampled.node.xid(0, 31);
      sampled.node.set(0, "clock_event_reasons", "68");

      sampled.until(scrape -> {
        assertThat(scrape.of("DCGM_EXP_XID_ERRORS_COUNT", Map.of("gpu", "0", "xid", "31")))
            .singleElement()
            .satisfies(it -> assertThat(it.value()).isEqualTo(2));
        for (String event : List.of("power_cap", "hw_thermal")) {
          assertThat(scrape.of("DCGM_EXP_CLOCK_EVENTS_COUNT", Map.of("clock_event", event)))
              .singleElement()
              .satisfies(it -> assertThat(it.value()).isPositive());
        }
      });
    }
  }

  @Test
  void jobsOfABatchSystemAreLabels() throws Exception {
    SimulatedNode node = node();
    Path jobs = Files.createDirectories(node.hostRoot().resolve("var/lib/jobs"));
    Files.writeString(jobs.resolve("0"), "4711\n4712\n");
    Files.writeString(jobs.resolve("README"), "no GPU\n");
    try (var sampled = new Sampled(node, Map.of("DCGM_HPC_JOB_MAPPING_DIR", "/var/lib/jobs"))) {
      sampled.until(scrape -> {
        assertThat(scrape.of(TEMPERATURE, Map.of("gpu", "0")))
            .extracting(it -> it.labels().get("hpc_job"))
            .containsExactly("4711", "4712");
        assertThat(scrape.of(TEMPERATURE, Map.of("gpu", "1")))
            .singleElement()
            .satisfies(it -> assertThat(it.labels()).doesNotContainKey("hpc_job"));
      });
      Files.delete(jobs.resolve("0"));
      sampled.until(scrape -> assertThat(scrape.of(TEMPERATURE, Map.of("gpu", "0"))).hasSize(1));
    }
  }

  private Sampled sampled(Map<String, String> variables) {
    return new Sampled(node(), variables);
  }

  private SimulatedNode node() {
    return SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(2));
  }
}
