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

/// Fields that are not among the default counters, in DCGM's units.
class FieldCoverageTest {
  @TempDir Path folder;

  @Test
  void eccErrorsAreCountedByLocation() {
    try (var sampled =
        sampled(
            "h100",
            "DCGM_FI_DEV_ECC_SBE_VOL_DEV",
            "DCGM_FI_DEV_ECC_DBE_VOL_DEV",
            "DCGM_FI_DEV_ECC_SBE_AGG_DEV",
            "DCGM_FI_DEV_ECC_DBE_AGG_DEV",
            "DCGM_FI_DEV_ECC_SBE_VOL_SRM",
            "DCGM_FI_DEV_ECC_DBE_AGG_SRM",
            "DCGM_FI_DEV_ECC_SBE_VOL_L1")) {
      sampled.node.set(0, "ecc_single_volatile", "5");
      sampled.node.set(0, "ecc_double_volatile", "6");
      sampled.node.set(0, "ecc_single_total", "70");
      sampled.node.set(0, "ecc_double_total", "80");
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_ECC_SBE_VOL_DEV", 0)).contains(5.0);
        assertThat(scrape.value("DCGM_FI_DEV_ECC_DBE_VOL_DEV", 0)).contains(6.0);
        assertThat(scrape.value("DCGM_FI_DEV_ECC_SBE_AGG_DEV", 0)).contains(70.0);
        assertThat(scrape.value("DCGM_FI_DEV_ECC_DBE_AGG_DEV", 0)).contains(80.0);
        assertThat(scrape.value("DCGM_FI_DEV_ECC_SBE_VOL_SRM", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_ECC_DBE_AGG_SRM", 0)).contains(0.0);
        assertThat(unsupported(scrape)).containsExactly("DCGM_FI_DEV_ECC_SBE_VOL_L1");
      });
      sampled.node.set(0, "ecc_enabled", "0");
      sampled.until(scrape -> assertThat(unsupported(scrape)).hasSize(7));
    }
  }

  @Test
  void boardAndItsFabric_areExported() {
    try (var sampled =
        sampled(
            "h100",
            "DCGM_FI_DEV_PCI_COMBINED_ID",
            "DCGM_FI_DEV_PCI_SUBSYS_ID",
            "DCGM_FI_DEV_CUDA_COMPUTE_CAPABILITY",
            "DCGM_FI_DEV_VIRTUAL_MODE",
            "DCGM_FI_DEV_GPU_TEMP_LIMIT",
            "DCGM_FI_DEV_FABRIC_MANAGER_STATUS",
            "DCGM_FI_DEV_FABRIC_CLIQUE_ID",
            "DCGM_FI_DEV_FABRIC_HEALTH_MASK")) {
      sampled.node.set(0, "temperature_c", "50");
      sampled.node.set(0, "fabric_state", "3");
      sampled.node.set(0, "fabric_clique", "7");
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_PCI_COMBINED_ID", 0)).contains(0x233010de * 1.0);
        assertThat(scrape.value("DCGM_FI_DEV_PCI_SUBSYS_ID", 0)).contains(0x16c110de * 1.0);
        assertThat(scrape.value("DCGM_FI_DEV_CUDA_COMPUTE_CAPABILITY", 0)).contains(9 * 65536.0);
        assertThat(scrape.value("DCGM_FI_DEV_VIRTUAL_MODE", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_GPU_TEMP_LIMIT", 0)).contains(37.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", 0)).contains(3.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_CLIQUE_ID", 0)).contains(7.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_HEALTH_MASK", 0)).contains(170.0);
      });
      sampled.node.set(0, "temperature_c", "95");
      sampled.node.set(0, "fabric_status", "10");
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_GPU_TEMP_LIMIT", 0)).contains(-8.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_MANAGER_STATUS", 0)).contains(4.0);
      });
    }
  }

  @Test
  void whereAGpuIsAndWhatIsBesideIt() {
    try (var sampled =
        sampled(
            "gb200",
            "DCGM_FI_DEV_CPU_AFFINITY_0",
            "DCGM_FI_DEV_CPU_AFFINITY_1",
            "DCGM_FI_DEV_CPU_AFFINITY_2",
            "DCGM_FI_DEV_CPU_AFFINITY_3",
            "DCGM_FI_DEV_MEM_AFFINITY_0",
            "DCGM_FI_DEV_MEM_AFFINITY_1",
            "DCGM_FI_DEV_PLATFORM_CHASSIS_SLOT_NUMBER",
            "DCGM_FI_DEV_PLATFORM_TRAY_INDEX",
            "DCGM_FI_DEV_PLATFORM_HOST_ID",
            "DCGM_FI_DEV_PLATFORM_PEER_TYPE",
            "DCGM_FI_DEV_PLATFORM_MODULE_ID",
            "DCGM_FI_DEV_COUNT",
            "DCGM_FI_CUDA_DRIVER_VERSION")) {
      sampled.until(scrape -> {
        // All 72 processors of the first node; NVML's 64 bits are a signed number in DCGM.
        assertThat(scrape.value("DCGM_FI_DEV_CPU_AFFINITY_0", 0)).contains(-1.0);
        assertThat(scrape.value("DCGM_FI_DEV_CPU_AFFINITY_1", 0)).contains(255.0);
        assertThat(scrape.value("DCGM_FI_DEV_CPU_AFFINITY_2", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_CPU_AFFINITY_3", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_MEM_AFFINITY_0", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_MEM_AFFINITY_1", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_PLATFORM_CHASSIS_SLOT_NUMBER", 0)).contains(11.0);
        assertThat(scrape.value("DCGM_FI_DEV_PLATFORM_TRAY_INDEX", 0)).contains(5.0);
        assertThat(scrape.value("DCGM_FI_DEV_PLATFORM_HOST_ID", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_PLATFORM_PEER_TYPE", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_PLATFORM_MODULE_ID", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_COUNT", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_CUDA_DRIVER_VERSION", 0))
            .hasValueSatisfying(it -> assertThat(it).isBetween(12000.0, 14000.0));
      });
    }
  }

  @Test
  void settingsOfAGpu_andHealthOfItsMemoryAndFabric_areExported() {
    try (var sampled =
        sampled(
            "h100",
            "DCGM_FI_DEV_CC_MODE",
            "DCGM_FI_DEV_MIG_MAX_SLICES",
            "DCGM_FI_DEV_INFOROM_CONFIG_CHECK",
            "DCGM_FI_DEV_AUTOBOOST",
            "DCGM_FI_DEV_THRESHOLD_SRM",
            "DCGM_FI_DEV_MEMORY_UNREPAIRABLE_FLAG",
            "DCGM_FI_DEV_FABRIC_HEALTH_MASK",
            "DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY",
            "DCGM_FI_DEV_FABRIC_MANAGER_ERROR_CODE",
            "DCGM_FI_DEV_PLATFORM_TRAY_INDEX")) {
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_CC_MODE", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_MIG_MAX_SLICES", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_INFOROM_CONFIG_CHECK", 0)).contains(0x8F000000L * 1.0);
        assertThat(scrape.value("DCGM_FI_DEV_THRESHOLD_SRM", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_MEMORY_UNREPAIRABLE_FLAG", 0)).contains(0.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_HEALTH_MASK", 0)).contains(170.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_HEALTH_SUMMARY", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_MANAGER_ERROR_CODE", 0)).contains(0.0);
        assertThat(unsupported(scrape))
            .containsExactlyInAnyOrder("DCGM_FI_DEV_AUTOBOOST", "DCGM_FI_DEV_PLATFORM_TRAY_INDEX");
      });
      sampled.node.set(0, "confidential_computing", "1");
      sampled.node.set(0, "sram_threshold_exceeded", "1");
      sampled.node.set(0, "memory_unrepairable", "1");
      sampled.node.set(0, "fabric_status", "15");
      sampled.until(scrape -> {
        assertThat(scrape.value("DCGM_FI_DEV_CC_MODE", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_THRESHOLD_SRM", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_MEMORY_UNREPAIRABLE_FLAG", 0)).contains(1.0);
        assertThat(scrape.value("DCGM_FI_DEV_FABRIC_MANAGER_ERROR_CODE", 0)).contains(-18.0);
      });
      sampled.node.set(0, "fabric_state", "2");
      sampled.until(
          scrape -> assertThat(scrape.value("DCGM_FI_DEV_FABRIC_MANAGER_ERROR_CODE", 0)).isEmpty());
    }
  }

  @Test
  void theRackAndTheFabricBecomeLabels() {
    CounterList counters =
        CounterList.parse(
            Sampled.TABLE,
            "c.csv",
            """
            DCGM_FI_DEV_GPU_TEMP, gauge, x
            DCGM_FI_DEV_FABRIC_CLUSTER_UUID, label, x
            DCGM_FI_DEV_PLATFORM_INFINIBAND_GUID, label, x
            DCGM_FI_DEV_PLATFORM_CHASSIS_SERIAL_NUMBER, label, x
            """);
    assertThat(counters.problems()).isEmpty();
    try (var sampled = sampled("gb200", counters)) {
      sampled.until(scrape ->
          assertThat(
                  scrape.of("DCGM_FI_DEV_GPU_TEMP", Map.of()).stream()
                      .map(Scrape.Sample::labels)
                      .findFirst()
                      .orElse(Map.of()))
              .containsEntry("DCGM_FI_DEV_PLATFORM_INFINIBAND_GUID", "0x0102030405060708")
              .containsEntry("DCGM_FI_DEV_PLATFORM_CHASSIS_SERIAL_NUMBER", "1821725190123")
              .containsEntry(
                  "DCGM_FI_DEV_FABRIC_CLUSTER_UUID", "10171e25-2c33-4a41-884f-565d646b7279"));
    }
  }

  @Test
  void aBoardWithoutAFabricHasNoneOfItsSeries() {
    try (var sampled =
        sampled("t4", "DCGM_FI_DEV_FABRIC_MANAGER_STATUS", "DCGM_FI_DEV_GPU_TEMP_LIMIT")) {
      sampled.until(scrape ->
          assertThat(unsupported(scrape))
              .containsExactlyInAnyOrder(
                  "DCGM_FI_DEV_FABRIC_MANAGER_STATUS", "DCGM_FI_DEV_GPU_TEMP_LIMIT"));
    }
  }

  private static List<String> unsupported(Scrape scrape) {
    return scrape.of("pitcrew_metrics_unsupported", Map.of("gpu", "0")).stream()
        .map(it -> it.labels().getOrDefault("field", ""))
        .toList();
  }

  private Sampled sampled(String board, String... fields) {
    CounterList counters =
        CounterList.parse(
            Sampled.TABLE,
            "c.csv",
            Stream.of(fields).map(field -> field + ", gauge, x\n").collect(Collectors.joining()));
    assertThat(counters.problems()).isEmpty();
    return sampled(board, counters);
  }

  private Sampled sampled(String board, CounterList counters) {
    return new Sampled(
        SimulatedNode.create(folder, SimulatedNodeOptions.of(board).withGpus(1)),
        Map.of(),
        new CountersInForce(counters, List.of()));
  }
}
