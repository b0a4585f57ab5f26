package dev.pitcrew.device.allocatable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReplicationTest {
  private static final String GPU = "nvidia.com/gpu";

  @Test
  void everyReplicaHasAnIdOfItsOwn() {
    assertThat(ids(shared(2, entry(new DeviceSelection.All(), 2)), GPU))
        .containsExactly(
            Nodes.uuid(0) + "::0",
            Nodes.uuid(0) + "::1",
            Nodes.uuid(1) + "::0",
            Nodes.uuid(1) + "::1");
  }

  @Test
  void renamedReplicasLeaveTheOthersUnderTheirName() {
    SharedResource entry =
        new SharedResource(
            GPU, Optional.of("nvidia.com/gpu.shared"), new DeviceSelection.First(1), 3);
    Allocatable allocatable = shared(2, entry);
    assertThat(ids(allocatable, "nvidia.com/gpu.shared")).hasSize(3);
    assertThat(ids(allocatable, GPU)).containsExactly(Nodes.uuid(1));
  }

  @Test
  void onlyTheListedDevicesAreShared() {
    assertThat(
            ids(shared(3, entry(new DeviceSelection.Listed(List.of("2", Nodes.uuid(0))), 2)), GPU))
        .containsExactly(
            Nodes.uuid(0) + "::0",
            Nodes.uuid(0) + "::1",
            Nodes.uuid(1),
            Nodes.uuid(2) + "::0",
            Nodes.uuid(2) + "::1");
  }

  @Test
  void severalEntriesShareOneResourceDifferently() {
    assertThat(
            ids(
                shared(
                    2,
                    entry(new DeviceSelection.Listed(List.of("1")), 3),
                    entry(new DeviceSelection.All(), 2)),
                GPU))
        .hasSize(5);
  }

  @Test
  void resourceThatMatchesNothing_isAProblem_andSharesNothing() {
    Allocatable allocatable =
        shared(
            1,
            entry(new DeviceSelection.Listed(List.of("7")), 2),
            new SharedResource(
                "nvidia.com/mig-1g.5gb", Optional.empty(), new DeviceSelection.All(), 2),
            entry(new DeviceSelection.All(), 0));
    assertThat(ids(allocatable, GPU)).containsExactly(Nodes.uuid(0));
    assertThat(allocatable.problems())
        .containsExactly(
            Problem.warning(GPU, "no device 7 to share"),
            Problem.warning("nvidia.com/mig-1g.5gb", "the node has no such device to share"),
            Problem.warning(GPU, "0 replicas; at least 2 are needed"));
  }

  @Test
  void moreDevicesThanThereAreIsAProblemAndSharesThoseThereAre() {
    Allocatable allocatable = shared(2, entry(new DeviceSelection.First(3), 2));
    assertThat(ids(allocatable, GPU)).hasSize(4);
    assertThat(allocatable.problems())
        .containsExactly(Problem.warning(GPU, "3 devices are to be shared; the node has 2"));
  }

  @Test
  void allReplicasOfAUnhealthyGpuAreUnhealthy() {
    Allocatable allocatable =
        Allocatable.from(
            Nodes.withGpus(2),
            MigStrategy.NONE,
            sharing(entry(new DeviceSelection.All(), 2)),
            new Health(Map.of(Nodes.uuid(1), "Xid 79")));
    assertThat(allocatable.resource(GPU).orElseThrow().devices())
        .extracting(Device::isHealthy)
        .containsExactly(true, true, false, false);
  }

  private static SharedResource entry(DeviceSelection devices, int replicas) {
    return new SharedResource(GPU, Optional.empty(), devices, replicas);
  }

  private static Allocatable shared(int gpus, SharedResource... entries) {
    return Allocatable.from(
        Nodes.withGpus(gpus), MigStrategy.NONE, sharing(entries), Health.ALL_WELL);
  }

  private static Sharing sharing(SharedResource... entries) {
    return new Sharing(Sharing.Strategy.TIME_SLICING, List.of(entries), false);
  }

  private static List<String> ids(Allocatable allocatable, String resource) {
    return allocatable.resource(resource).orElseThrow().devices().stream().map(Device::id).toList();
  }
}
