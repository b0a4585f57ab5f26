package dev.pitcrew.device.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PartitionProfile;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// GPUs whose MIG devices are made for claims, on a board with two profiles: `1g.10gb` at each of
/// four slices, `2g.20gb` at two.
class PartitionableGpuTest {
  private static final PartitionProfile SMALL = profile(19, 1, 10, 0, 1, 2, 3);
  private static final PartitionProfile LARGE = profile(14, 2, 20, 0, 2);
  private static final List<PartitionProfile> PROFILES = List.of(SMALL, LARGE);
  private static final String OWN = "gpu-0-mig-1g10gb-19-3";

  private static PartitionProfile profile(int id, int slices, int gigabytes, int... starts) {
    return new PartitionProfile(
        id,
        new MigProfile(slices, slices, gigabytes, ""),
        amounts(slices, gigabytes),
        Arrays.stream(starts).mapToObj(start -> new MigPlacement(id, start, slices)).toList());
  }

  private static MigAttributes amounts(int slices, int gigabytes) {
    return new MigAttributes(
        16 * slices,
        slices,
        slices,
        new MigAttributes.Engines(slices, slices, 0, 0, 0),
        gigabytes * 1024L);
  }

  private static Gpu gpu(int index, int capability, Mig mig) {
    Gpu plain = Nodes.gpu(index, mig);
    return new Gpu(
        index,
        index,
        plain.uuid(),
        new Board("a GPU", 40L << 30, new ComputeCapability(capability, 0)),
        plain.pci(),
        mig,
        plain.fabric());
  }

  private static Mig on(MigPlacement... instances) {
    return new Mig.Enabled(
        Set.of(),
        IntStream.range(0, instances.length)
            .mapToObj(number -> device(number, instances[number]))
            .toList(),
        PROFILES,
        List.of(instances));
  }

  private static MigDevice device(int number, MigPlacement place) {
    return new MigDevice(
            number,
            "MIG-" + number,
            new MigPlace(number + 1, 0),
            place.slices() == 1 ? SMALL.shape() : LARGE.shape(),
            amounts(place.slices(), 10 * place.slices()),
            1L << 30,
            Optional.empty())
        .at(place);
  }

  static Inventory hopper() {
    return Nodes.of(gpu(0, 9, new Mig.Disabled(Set.of(), PROFILES)));
  }

  /// With an instance that no claim has made.
  static Inventory hopperWithInstance() {
    return Nodes.of(gpu(0, 9, on(new MigPlacement(14, 0, 2))));
  }

  private static SliceDevices partitioned(Gpu... gpus) {
    return SliceDevices.partitioned(Nodes.of(gpus), Set.of(OWN));
  }

  private static List<String> names(SliceDevices devices) {
    return devices.devices().stream().map(SliceDevice::name).toList();
  }

  @Test
  void hopperBoardIsOfferedWholeAndInPartitions() {
    SliceDevices devices = partitioned(gpu(0, 9, new Mig.Disabled(Set.of(), PROFILES)));

    assertThat(names(devices))
        .containsExactly(
            "gpu-0",
            "gpu-0-mig-1g10gb-19-0",
            "gpu-0-mig-1g10gb-19-1",
            "gpu-0-mig-1g10gb-19-2",
            OWN,
            "gpu-0-mig-2g20gb-14-0",
            "gpu-0-mig-2g20gb-14-2");
    assertThat(devices.gpus().getFirst().counters())
        .contains(devices.devices().getFirst().consumes().getFirst());
    assertThat(devices.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"true, 6", "false, 1"})
  void ampereBoardIsOfferedAsItsModeIs(boolean isEnabled, int devices) {
    Mig mig = isEnabled ? on() : new Mig.Disabled(Set.of(), PROFILES);

    SliceDevices found = partitioned(gpu(0, 8, mig));

    assertThat(found.devices()).hasSize(devices);
    assertThat(names(found).contains("gpu-0")).isEqualTo(!isEnabled);
    assertThat(found.haveCounters()).isEqualTo(isEnabled);
    assertThat(found.arrangement()).isEqualTo(SliceDevices.Arrangement.COUNTERS_THEN_BY_GPU);
    assertThat(ResourcePool.of("n", found, true).slices()).hasSize(2);
  }

  @Test
  void instanceOfAClaimChangesNothing() {
    SliceDevices before = partitioned(gpu(0, 9, new Mig.Disabled(Set.of(), PROFILES)));

    assertThat(partitioned(gpu(0, 9, on(new MigPlacement(19, 3, 1))))).isEqualTo(before);
  }

  /// Its counters are taken, what overlaps it is not offered, and it is a device itself.
  @Test
  void instanceOfAnotherOwnerCannotBePlacedOver() {
    SliceDevices devices =
        partitioned(gpu(0, 9, on(new MigPlacement(14, 0, 2), new MigPlacement(19, 3, 1))));

    assertThat(names(devices))
        .containsExactly(
            "gpu-0-mig-1g10gb-19-2", OWN, "gpu-0-mig-2g20gb-14-0", "gpu-0-mig-2g20gb-14-2");
    SliceDevice foreign = devices.devices().get(2);
    assertThat(foreign.consumes()).isEmpty();
    assertThat(foreign.attributes().get("uuid")).isEqualTo(new Attribute.Text("MIG-0"));
    assertThat(devices.gpus().getFirst().counters().orElseThrow().counters())
        .containsEntry("multiprocessors", new Quantity("0"))
        .containsEntry("memory-slice-2", new Quantity("1"))
        .containsEntry("memory-slice-3", new Quantity("1"))
        .doesNotContainKeys("memory-slice-0", "memory-slice-1");
    assertThat(devices.problems())
        .singleElement()
        .asString()
        .contains("GPU 0", "memory slice 0", "was not made for a claim");
  }

  @Test
  void instanceWithoutAComputeInstanceTakesItsPlace() {
    Mig mig = new Mig.Enabled(Set.of(), List.of(), PROFILES, List.of(new MigPlacement(14, 2, 2)));

    assertThat(names(partitioned(gpu(0, 9, mig))))
        .containsExactly("gpu-0-mig-1g10gb-19-0", "gpu-0-mig-1g10gb-19-1", "gpu-0-mig-2g20gb-14-0");
  }

  /// R535 and older list profiles in MIG mode only.
  @Test
  void gpuWhosePlacementsAreNotKnownIsOfferedWhole() {
    SliceDevices devices = partitioned(gpu(0, 9, new Mig.Disabled(Set.of(), List.of())));

    assertThat(names(devices)).containsExactly("gpu-0");
    assertThat(devices.haveCounters()).isFalse();
    assertThat(devices.problems()).singleElement().asString().contains("GPU 0", "R550");
  }

  @Test
  void nodeWithoutMigHasASliceForEachGpu() {
    SliceDevices devices =
        partitioned(gpu(0, 8, new Mig.NotCapable()), gpu(1, 8, new Mig.NotCapable()));

    assertThat(ResourcePool.of("n", devices, true).slices()).hasSize(2);
    assertThat(devices.problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"8, true, 1;8", "9, true, 2;9", "16, true, 2;16", "16, false, 0;16", "1, false, 0;1"})
  void poolHasAsManyCounterSlicesAsTheApiServerAccepts(
      int count, boolean separates, String expected) {
    Gpu[] gpus =
        IntStream.range(0, count)
            .mapToObj(index -> gpu(index, 9, new Mig.Disabled(Set.of(), PROFILES)))
            .toArray(Gpu[]::new);

    var slices = ResourcePool.of("n", partitioned(gpus), separates).slices();

    long ofCounters = slices.stream().filter(slice -> slice.devices().isEmpty()).count();
    assertThat(ofCounters + ";" + (slices.size() - ofCounters)).isEqualTo(expected);
    assertThat(slices)
        .allMatch(slice -> slice.counters().size() <= ResourcePool.COUNTER_SETS_LIMIT)
        .allMatch(slice -> !separates || slice.counters().isEmpty() || slice.devices().isEmpty());
    assertThat(slices.stream().mapToInt(slice -> slice.counters().size()).sum()).isEqualTo(count);
  }

  @Test
  void withoutDevicesAGpuHasNoCountersEither() {
    SliceDevices all =
        partitioned(
            gpu(0, 9, new Mig.Disabled(Set.of(), PROFILES)),
            gpu(1, 9, new Mig.Disabled(Set.of(), PROFILES)));

    SliceDevices one = all.only(Set.of("gpu-1"));

    assertThat(one.gpus())
        .singleElement()
        .extracting(it -> it.counters().isPresent())
        .isEqualTo(true);
    assertThat(ResourcePool.of("n", one, true).slices()).hasSize(2);
  }
}
