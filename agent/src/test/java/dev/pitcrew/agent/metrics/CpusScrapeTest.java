package dev.pitcrew.agent.metrics;

import static dev.pitcrew.agent.metrics.counters.Origin.CpuNumber.UTIL_IRQ;
import static dev.pitcrew.agent.metrics.counters.Origin.CpuNumber.UTIL_NICE;
import static dev.pitcrew.agent.metrics.counters.Origin.CpuNumber.UTIL_SYS;
import static dev.pitcrew.agent.metrics.counters.Origin.CpuNumber.UTIL_TOTAL;
import static dev.pitcrew.agent.metrics.counters.Origin.CpuNumber.UTIL_USER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Processors of a Grace machine, from the files of its kernel.
class CpusScrapeTest {
  private static final String FIELDS =
      """
      DCGM_FI_DEV_CPU_UTIL_TOTAL, gauge, x
      DCGM_FI_DEV_CPU_UTIL_USER, gauge, x
      DCGM_FI_DEV_CPU_CLOCK_CURRENT, gauge, x
      DCGM_FI_DEV_CPU_TEMP_CURRENT, gauge, x
      DCGM_FI_DEV_CPU_TEMP_WARNING, gauge, x
      DCGM_FI_DEV_CPU_TEMP_CRITICAL, gauge, x
      DCGM_FI_DEV_CPU_POWER_UTIL_CURRENT, gauge, x
      DCGM_FI_DEV_CPU_POWER_LIMIT, gauge, x
      DCGM_FI_DEV_SYSIO_POWER_UTIL_CURRENT, gauge, x
      DCGM_FI_DEV_MODULE_POWER_UTIL_CURRENT, gauge, x
      DCGM_FI_DEV_CPU_VENDOR, label, x
      DCGM_FI_DEV_CPU_MODEL, label, x
      """;

  @TempDir Path folder;

  @Test
  void eachProcessorAndEachCoreHasSeries() {
    SimulatedNode node = node();
    grace(node);
    try (var sampled = sampled(node)) {
      node.faults().file("/proc/stat", stat(100, 300));
      sampled.until(scrape -> {
        assertThat(cpu(scrape, "DCGM_FI_DEV_CPU_TEMP_CURRENT", 1)).containsExactly(43.9);
        assertThat(cpu(scrape, "DCGM_FI_DEV_CPU_TEMP_WARNING", 1)).containsExactly(95.0);
        assertThat(cpu(scrape, "DCGM_FI_DEV_CPU_TEMP_CRITICAL", 1)).containsExactly(104.5);
        assertThat(cpu(scrape, "DCGM_FI_DEV_CPU_POWER_UTIL_CURRENT", 1)).containsExactly(61.5);
        assertThat(cpu(scrape, "DCGM_FI_DEV_CPU_POWER_LIMIT", 1)).containsExactly(300.0);
        assertThat(cpu(scrape, "DCGM_FI_DEV_SYSIO_POWER_UTIL_CURRENT", 1)).containsExactly(7.0);
        assertThat(cpu(scrape, "DCGM_FI_DEV_MODULE_POWER_UTIL_CURRENT", 1)).containsExactly(90.25);
        // The first socket has no sensors.
        assertThat(cpu(scrape, "DCGM_FI_DEV_CPU_TEMP_CURRENT", 0)).isEmpty();
        assertThat(scrape.of("DCGM_FI_DEV_CPU_CLOCK_CURRENT", Map.of())).hasSize(4);
      });
      assertThat(sampled.text("").lines())
          .contains(
              "DCGM_FI_DEV_CPU_CLOCK_CURRENT{cpucore=\"3\",cpu=\"1\",hostname=\"node-1\",DCGM_FI_DEV_CPU_MODEL=\"Grace\",DCGM_FI_DEV_CPU_VENDOR=\"Nvidia\"} 3100003",
              "DCGM_FI_DEV_CPU_POWER_LIMIT{cpu=\"1\",hostname=\"node-1\",DCGM_FI_DEV_CPU_MODEL=\"Grace\",DCGM_FI_DEV_CPU_VENDOR=\"Nvidia\"} 300.000000");
    }
  }

  @Test
  void processorsOfOtherMakersHaveNone() {
    SimulatedNode node = node();
    grace(node);
    node.faults().file("/sys/devices/soc0/soc_id", "jep106:0426:0000\n");
    try (var sampled = sampled(node)) {
      int rounds = sampled.metrics.rounds();
      sampled.until(_ -> assertThat(sampled.metrics.rounds()).isGreaterThan(rounds + 2));
      assertThat(sampled.text("")).doesNotContain("DCGM_FI_DEV_CPU_");
    }
  }

  @Test
  void utilizationOfACore_isAShareOfTheTimeBetweenTwoReadings() {
    SimulatedNode node = node();
    grace(node);
    var reader = new CpuReader(new HostRoot(node.hostRoot()));
    node.faults().file("/proc/stat", stat(100, 300));
    assertThat(reader.read().getFirst().cores().get(1)).doesNotContainKey(UTIL_TOTAL);

    // Of 200 hundredths of a second 50 in user mode, and 10 each of five other kinds of work.
    node.faults()
        .file("/proc/stat", "cpu0 100 0 0 300 0 0 0 0 0 0\ncpu1 150 10 10 400 10 10 10 0 0 0\n");
    var cores = reader.read().getFirst().cores();

    assertThat(cores.get(1))
        .containsEntry(UTIL_TOTAL, 0.5)
        .containsEntry(UTIL_USER, 0.25)
        .containsEntry(UTIL_NICE, 0.05)
        .containsEntry(UTIL_SYS, 0.05)
        .containsEntry(UTIL_IRQ, 0.05);
    // Nothing has been counted meanwhile.
    assertThat(cores.get(0)).doesNotContainKey(UTIL_TOTAL);
  }

  private static String stat(int user, int idle) {
    var lines = new StringBuilder("cpu  1 1 1 1 1 1 1 1 0 0\n");
    for (int core = 0; core < 4; core++) {
      lines.append("cpu%d %d 0 0 %d 0 0 0 0 0 0\n".formatted(core, user, idle));
    }
    return lines.toString();
  }

  /// Two sockets of two cores each; the firmware numbers them 36 and 90.
  private static void grace(SimulatedNode node) {
    var files = node.faults();
    files.file("/sys/devices/soc0/soc_id", "jep106:036b:0241\n");
    files.file("/sys/devices/system/node/has_cpu", "0-1\n");
    files.file("/sys/devices/system/node/node0/cpulist", "0-1\n");
    files.file("/sys/devices/system/node/node1/cpulist", "2,3\n");
    for (int core = 0; core < 4; core++) {
      String cpu = "/sys/devices/system/cpu/cpu" + core;
      files.file(cpu + "/topology/physical_package_id", core < 2 ? "36\n" : "90\n");
      files.file(cpu + "/cpufreq/scaling_cur_freq", "310000" + core + "\n");
    }
    meter(node, 0, "CPU Power Socket 1", "power1_average", "61500000");
    meter(node, 1, "Module Power Socket 1", "power1_average", "90250000");
    meter(node, 2, "SysIO Power Socket 1", "power1_average", "7000000");
    meter(node, 3, "Grace Power Socket 1", "power1_cap", "300000000");
    meter(node, 4, "Something else", "power1_average", "1");
    String zone = "/sys/class/thermal/thermal_zone9";
    files.file(zone + "/device/description", "Thermal Zone Skt1 TJMax\n");
    files.file(zone + "/temp", "43900\n");
    files.file(zone + "/trip_point_0_type", "critical\n");
    files.file(zone + "/trip_point_0_temp", "104500\n");
    files.file(zone + "/trip_point_1_type", "passive\n");
    files.file(zone + "/trip_point_1_temp", "95000\n");
  }

  private static void meter(
      SimulatedNode node, int number, String name, String file, String microwatts) {
    String device = "/sys/class/hwmon/hwmon" + number + "/device/";
    node.faults().file(device + "power1_oem_info", name + "\n");
    node.faults().file(device + file, microwatts + "\n");
  }

  private static List<Double> cpu(Scrape scrape, String metric, int cpu) {
    return scrape.of(metric, Map.of("cpu", String.valueOf(cpu))).stream()
        .map(Scrape.Sample::value)
        .toList();
  }

  private SimulatedNode node() {
    return SimulatedNode.create(folder, SimulatedNodeOptions.of("gb200").withGpus(1));
  }

  private static Sampled sampled(SimulatedNode node) {
    CounterList counters = CounterList.parse(Sampled.TABLE, "c.csv", FIELDS);
    assertThat(counters.problems()).isEmpty();
    return new Sampled(node, Map.of(), new CountersInForce(counters, List.of()));
  }
}
