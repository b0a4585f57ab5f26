package dev.pitcrew.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.HealthWatches.Incident;
import dev.pitcrew.agent.metrics.HealthWatches.Watch;
import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.Source;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What each reading and each Xid leads to, from which number on.
class HealthWatchesTest {
  private static final Source REPLAYS = new Source.Call(Gauge.PCIE_REPLAYS);
  private static final Incident OK = new Incident(0, "DCGM_FR_OK");

  private final HealthWatches watches = new HealthWatches();

  /// Fields of NVML with their values: all were 5 in the sample before.
  @ParameterizedTest
  @CsvSource({
    "4=1, MEM, VOLATILE_DBE_DETECTED, 20",
    "4=0, MEM, OK, 0",
    "145=1, MEM, ROW_REMAP_FAILURE, 20",
    "29=63, MEM, RETIRED_PAGES_LIMIT, 20",
    "29=62, MEM, OK, 0",
    "29=60 30=3, MEM, RETIRED_PAGES_LIMIT, 20",
    "31=1, MEM, PENDING_PAGE_RETIREMENTS, 10",
    "143=512, MEM, UNCORRECTABLE_ROW_REMAP, 10",
    "143=511, MEM, OK, 0",
    "143=512 145=1, MEM, ROW_REMAP_FAILURE, 20",
    "31=1 4=1, MEM, VOLATILE_DBE_DETECTED, 20",
    "75=6, THERMAL, CLOCKS_EVENT_THERMAL, 10",
    "75=5, THERMAL, OK, 0",
    "74=6, POWER, CLOCKS_EVENT_POWER, 10",
    "74=5, POWER, OK, 0",
    "replays=14, PCIE, PCI_REPLAY_RATE, 10",
    "replays=13, PCIE, OK, 0",
    "52=6, NVLINK, NVLINK_ERROR_CRITICAL, 20",
    "59=6, NVLINK, NVLINK_ERROR_CRITICAL, 20",
    "52=5 59=5, NVLINK, OK, 0",
    "38=6, NVLINK, NVLINK_ERROR_THRESHOLD, 10",
    "45=6, NVLINK, NVLINK_ERROR_THRESHOLD, 10",
    "38=6004, NVLINK, NVLINK_ERROR_THRESHOLD, 10",
    "38=6005, NVLINK, NVLINK_CRC_ERROR_THRESHOLD, 20",
    "38=3005 45=3005, NVLINK, NVLINK_CRC_ERROR_THRESHOLD, 20",
    "230=0, DRIVER, OK, 0",
    "230=1, DRIVER, GPU_RECOVERY_RESET, 20",
    "230=2, DRIVER, GPU_RECOVERY_REBOOT, 20",
    "230=3, DRIVER, GPU_RECOVERY_DRAIN_P2P, 10",
    "230=4, DRIVER, GPU_RECOVERY_DRAIN_RESET, 20",
    "230=5, DRIVER, OK, 0",
  })
  void aReadingLeadsToItsIncident(String fields, Watch watch, String code, int value) {
    Map<String, Double> last = parse(fields);
    var first = new HashMap<>(last);
    first.replaceAll((_, _) -> 5.0);
    add(0, first);
    add(1, last);

    assertOnly(watches.of(0, Map.of()), watch, code, value);
  }

  @ParameterizedTest
  @CsvSource({
    "31, MEM, XID_ERROR, 10",
    "32, MEM, XID_ERROR, 10",
    "43, MEM, XID_ERROR, 10",
    "63, MEM, PENDING_PAGE_RETIREMENTS, 10",
    "64, MEM, ROW_REMAP_FAILURE, 20",
    "38, PCIE, XID_ERROR, 10",
    "39, PCIE, XID_ERROR, 10",
    "42, PCIE, PCI_REPLAY_RATE, 10",
    "79, ALL, FALLEN_OFF_BUS, 20",
    "95, ALL, UNCONTAINED_ERROR, 20",
    "48, ALL, XID_ERROR, 20",
    "74, ALL, XID_ERROR, 20",
    "119, ALL, XID_ERROR, 20",
    "120, ALL, XID_ERROR, 20",
    "140, ALL, XID_ERROR, 20",
    "94, ALL, XID_ERROR, 10",
    "13, ALL, OK, 0",
  })
  void anXidLeadsToItsIncident(long xid, Watch watch, String code, int value) {
    add(0, Map.of());

    assertOnly(watches.of(0, Map.of(xid, 1)), watch, code, value);
  }

  @Test
  void growthCountsForAMinute() {
    for (int second = 0; second <= 59; second++) {
      add(second, Map.of("75", second == 0 ? 0.0 : 1.0));
    }
    add(60, Map.of("75", 1.0));
    assertOnly(watches.of(0, Map.of()), Watch.THERMAL, "CLOCKS_EVENT_THERMAL", 10);

    add(61, Map.of("75", 1.0));
    assertOnly(watches.of(0, Map.of()), Watch.THERMAL, "OK", 0);
  }

  @Test
  void aGpuWithoutASampleHasNoWatches() {
    add(0, Map.of());
    assertThat(watches.of(1, Map.of(79L, 1))).isEmpty();
  }

  private static void assertOnly(Map<Watch, Incident> found, Watch watch, String code, int value) {
    assertThat(found).hasSize(11).containsEntry(watch, new Incident(value, "DCGM_FR_" + code));
    found.remove(watch);
    assertThat(found.values()).containsOnly(OK);
  }

  private static Map<String, Double> parse(String fields) {
    var values = new HashMap<String, Double>();
    for (String field : fields.split(" ", -1)) {
      List<String> words = List.of(field.split("=", -1));
      values.put(words.getFirst(), Double.valueOf(words.getLast()));
    }
    return values;
  }

  /// What is not named cannot be read.
  private void add(int second, Map<String, Double> fields) {
    double[] values = new double[HealthWatches.SOURCES.size()];
    Arrays.fill(values, Double.NaN);
    fields.forEach((field, value) -> {
      Source source =
          field.equals("replays") ? REPLAYS : new Source.FieldValue(Integer.parseInt(field), 0);
      values[HealthWatches.SOURCES.indexOf(source)] = value;
    });
    watches.add(0, Duration.ofSeconds(second).toNanos(), values);
  }
}
