package dev.pitcrew.device.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.allocation.Preference.Chosen;
import dev.pitcrew.device.allocation.Preference.Refused;
import dev.pitcrew.device.allocation.Preference.Request;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PreferenceTest {
  private static final Resource EIGHT = AlignedPropertyTest.gpus(8);
  private static final Resource SHARED = shared(2, 3);

  @Test
  void distributedTakesFromTheLeastUsedGpuFirstAndThenFromTheOther() {
    Preference preference =
        Preference.of(
            shared(2, 2),
            Topology.UNKNOWN,
            SharedPolicy.DISTRIBUTED,
            new Request(List.of(id(0, 0), id(0, 1), id(1, 1)), List.of(), 2));
    assertThat(preference).isEqualTo(new Chosen(List.of(id(0, 0), id(1, 1))));
  }

  @Test
  void distributedSpreadsOverFreeGpus() {
    assertThat(choose(SharedPolicy.DISTRIBUTED, List.of(), 2))
        .isEqualTo(new Chosen(List.of(id(0, 0), id(1, 0))));
  }

  @Test
  void packedStaysOnTheGpuThatIsInUse() {
    assertThat(choose(SharedPolicy.PACKED, List.of(id(1, 2)), 3))
        .isEqualTo(new Chosen(List.of(id(1, 2), id(1, 0), id(1, 1))));
  }

  @Test
  void requiredDevicesComeFirstEvenIfTheyAreUnknown() {
    assertThat(choose(SharedPolicy.DISTRIBUTED, List.of("no-such-device"), 1))
        .isEqualTo(new Chosen(List.of("no-such-device")));
  }

  @Test
  void moreReplicasThanThereAreIsRefused() {
    assertThat(choose(SharedPolicy.DISTRIBUTED, List.of(), 7))
        .isEqualTo(new Refused("not enough available devices to satisfy allocation"));
  }

  @Test
  void wholeGpusWithoutAnswerGiveNone() {
    List<String> all = AlignedPropertyTest.ids(EIGHT);
    assertThat(
            Stream.of(new Request(all, List.of(), 0), new Request(all, List.of(), 9))
                .map(request -> whole(request)))
        .containsOnly(new Chosen(List.of()));
    assertThat(whole(new Request(all, all.subList(0, 3), 2))).isEqualTo(new Chosen(List.of()));
    assertThat(whole(new Request(all.subList(0, 4), all.subList(6, 7), 2)))
        .isEqualTo(new Chosen(List.of()));
  }

  @Test
  void anUnknownGpuIsNamed() {
    assertThat(whole(new Request(List.of("GPU-x"), List.of(), 1)))
        .isEqualTo(
            new Refused(
                "unable to retrieve list of available devices: no device with uuid: GPU-x"));
  }

  private static Preference whole(Request request) {
    return Preference.of(EIGHT, Topology.UNKNOWN, SharedPolicy.DISTRIBUTED, request);
  }

  private static Preference choose(SharedPolicy policy, List<String> required, int size) {
    List<String> all = SHARED.devices().stream().map(Device::id).toList();
    return Preference.of(SHARED, Topology.UNKNOWN, policy, new Request(all, required, size));
  }

  private static String id(int gpu, int replica) {
    return Nodes.uuid(gpu) + "::" + replica;
  }

  private static Resource shared(int gpus, int replicas) {
    SharedResource all =
        new SharedResource("nvidia.com/gpu", Optional.empty(), new DeviceSelection.All(), replicas);
    Sharing sharing = new Sharing(Sharing.Strategy.TIME_SLICING, List.of(all), false);
    return Allocatable.from(Nodes.withGpus(gpus), MigStrategy.NONE, sharing, Health.ALL_WELL)
        .resource("nvidia.com/gpu")
        .orElseThrow();
  }
}
