package dev.pitcrew.device.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.inventory.Inventory;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConsumableSharesTest {
  private static final long GIB = 1L << 30;

  private static ConsumableShares shares(String text) {
    return ConsumableShares.of(text).orElseThrow();
  }

  /// Name, whole amount, default, least and step of each.
  private static String capacities(String text, long bytes) {
    return shares(text)
        .capacities(bytes)
        .map(all ->
            all.entrySet().stream()
                .map(it ->
                    List.of(
                        it.getKey(),
                        it.getValue().all().text(),
                        it.getValue().byDefault().text(),
                        it.getValue().least().text(),
                        it.getValue().step().text()))
                .toList()
                .toString())
        .orElse("none");
  }

  /// The last three have memory that is no multiple of 1 MiB, and none that is known.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "disabled | 85899345920 | none",
        "memory | 85899345920 | [[memory, 80Gi, 80Gi, 1Mi, 1Mi]]",
        "unlimited | 85899345920 | [[memory, 80Gi, 0, 0, 1Mi]]",
        "4 | 85899345920 | [[memory, 80Gi, 0, 0, 1Mi], [shares, 4, 1, 1, 1]]",
        "1000 | 85899345920 | [[memory, 80Gi, 0, 0, 1Mi], [shares, 1k, 1, 1, 1]]",
        "memory | 85520809985 | [[memory, 81559Mi, 81559Mi, 1Mi, 1Mi]]",
        "memory | 0 | none",
        "unlimited | 0 | []",
      })
  void claimsTakePartsOfTheMemory(String text, long bytes, String capacities) {
    assertThat(capacities(text, bytes)).isEqualTo(capacities);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "many", "0", "-1", "04", "1.5", "Memory", " 4", "1000000000"})
  void otherTextsAreNone(String text) {
    assertThat(ConsumableShares.of(text)).isEmpty();
  }

  @Test
  void gpusAndTheirMigDevicesAreShared() {
    for (Inventory inventory :
        List.of(Nodes.withGpus(1), PartitionableGpuTest.hopperWithInstance())) {
      SliceDevices all = SliceDevices.of(inventory, shares("4"));

      assertThat(all.devices()).hasSize(1).allMatch(device -> device.shared().isPresent());
      assertThat(all.withoutShares()).isEqualTo(SliceDevices.of(inventory));
    }
  }

  /// More than 64 devices do not fit into a slice of which one is shared.
  @ParameterizedTest
  @CsvSource({"64, 1", "65, 2", "128, 2"})
  void sliceOfSharedDevicesHasSixtyFour(int count, int slices) {
    SliceDevice gpu = SliceDevices.of(Nodes.withGpus(1), shares("memory")).devices().getFirst();

    assertThat(
            ResourcePool.of(ClaimDevice.DRIVER, "node-a", Collections.nCopies(count, gpu)).slices())
        .hasSize(slices);
  }

  /// A device that takes counters is one of several that overlap.
  @Test
  void gpuThatClaimsDivideIsForOneClaim() {
    Inventory inventory = PartitionableGpuTest.hopper();

    SliceDevices all =
        SliceDevices.partitioned(inventory, Set.of(), new ConsumableShares.Counted(4));

    assertThat(all.haveCounters()).isTrue();
    assertThat(all.haveShares()).isFalse();
    assertThat(all).isEqualTo(SliceDevices.partitioned(inventory, Set.of()));
  }

  /// It takes no counters: it was there before the claims.
  @Test
  void instanceThatNoClaimHasMadeIsShared() {
    SliceDevices all =
        SliceDevices.partitioned(
            PartitionableGpuTest.hopperWithInstance(), Set.of(), shares("memory"));

    assertThat(all.devices().stream().filter(device -> device.shared().isPresent()))
        .singleElement()
        .satisfies(device -> assertThat(device.name()).isEqualTo("gpu-0-mig-2g20gb-14-0"));
  }

  @Test
  void memoryOfAShareIsRoundedDown() {
    assertThat(capacities("memory", GIB + 4096)).isEqualTo("[[memory, 1Gi, 1Gi, 1Mi, 1Mi]]");
  }
}
