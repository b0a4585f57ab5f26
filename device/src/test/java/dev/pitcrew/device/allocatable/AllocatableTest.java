package dev.pitcrew.device.allocatable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AllocatableTest {

  @Test
  void wholeGpusAreOneResourceInTheOrderOfTheirIndex() {
    Allocatable allocatable = from(MigStrategy.NONE, Nodes.withGpus(8));
    assertThat(names(allocatable)).containsExactly("nvidia.com/gpu");
    assertThat(ids(allocatable, "nvidia.com/gpu"))
        .startsWith(Nodes.uuid(0), Nodes.uuid(1))
        .hasSize(8);
    Device last = allocatable.resources().getFirst().devices().getLast();
    assertThat(last.physical().index()).isEqualTo("7");
    assertThat(last.physical().numaNode()).hasValue(1);
    assertThat(last.physical().paths()).containsExactly("/dev/nvidia7");
    assertThat(allocatable.problems()).isEmpty();
  }

  @Test
  void withoutStrategyADividedGpuIsStillOneDevice() {
    assertThat(ids(from(MigStrategy.NONE, Nodes.divided(0, "1g.5gb")), "nvidia.com/gpu"))
        .containsExactly(Nodes.uuid(0));
  }

  @Test
  void mixedGivesEveryProfileItsResource() {
    Allocatable allocatable =
        from(
            MigStrategy.MIXED,
            Nodes.divided(0, "1g.5gb", "1g.5gb+me", "3g.20gb"),
            Nodes.gpu(1, new Mig.Disabled(Set.of())));
    assertThat(names(allocatable))
        .containsExactly(
            "nvidia.com/gpu",
            "nvidia.com/mig-1g.5gb",
            "nvidia.com/mig-1g.5gb.me",
            "nvidia.com/mig-3g.20gb");
    PhysicalDevice part =
        allocatable
            .resource("nvidia.com/mig-3g.20gb")
            .orElseThrow()
            .devices()
            .getFirst()
            .physical();
    assertThat(part.index()).isEqualTo("0:2");
    assertThat(part.gpuUuid()).isEqualTo(Nodes.uuid(0));
    assertThat(part.paths())
        .containsExactly(
            "/dev/nvidia0", "/dev/nvidia-caps/nvidia-cap20", "/dev/nvidia-caps/nvidia-cap21");
  }

  @Test
  void aProfileThatSharesItsInstanceTakesNothingElseAlong() {
    Allocatable allocatable =
        from(MigStrategy.MIXED, Nodes.divided(0, "1c.3g.20gb", "1g.5gb"), Nodes.divided(1));
    assertThat(names(allocatable)).containsExactly("nvidia.com/mig-1g.5gb");
    assertThat(allocatable.problems())
        .containsExactly(
            Problem.warning(
                Nodes.migUuid(0, 0),
                "MIG profile 1c.3g.20gb shares its GPU instance and has no resource"),
            Problem.warning(Nodes.uuid(1), "in MIG mode without any MIG device"));
  }

  @Test
  void singleOffersMigDevicesAsGpus() {
    Allocatable allocatable =
        from(MigStrategy.SINGLE, Nodes.divided(0, "1g.5gb", "1g.5gb"), Nodes.divided(1, "1g.5gb"));
    assertThat(ids(allocatable, "nvidia.com/gpu"))
        .containsExactly(Nodes.migUuid(0, 0), Nodes.migUuid(0, 1), Nodes.migUuid(1, 0));
  }

  @Test
  void underSingleOddGpusAreLeftOutAndNamed() {
    Allocatable allocatable =
        from(
            MigStrategy.SINGLE,
            Nodes.divided(0, "3g.20gb"),
            Nodes.divided(1, "1g.5gb"),
            Nodes.divided(2, "1g.5gb"),
            Nodes.divided(3, "1g.5gb", "2g.10gb"),
            Nodes.divided(4),
            Nodes.gpu(5, new Mig.Disabled(Set.of())));
    assertThat(ids(allocatable, "nvidia.com/gpu"))
        .containsExactly(Nodes.migUuid(1, 0), Nodes.migUuid(2, 0));
    assertThat(allocatable.problems())
        .containsExactly(
            Problem.refusal(Nodes.uuid(0), "more than one MIG device type present on node"),
            Problem.refusal(Nodes.uuid(3), "more than one MIG device type present on node"),
            Problem.refusal(Nodes.uuid(4), "in MIG mode without any MIG device"),
            Problem.refusal(Nodes.uuid(5), "not in MIG mode while other GPUs of the node are"));
  }

  @Test
  void aLostGpuIsAProblemAndTheOthersStay() {
    Inventory readable = Nodes.withGpus(2);
    Inventory inventory =
        new Inventory(
            readable.driver(),
            readable.gpus(),
            List.of(new UnreadableGpu(2, "nvmlDeviceGetUUID: GPU is lost")),
            Topology.UNKNOWN);
    Allocatable allocatable = from(MigStrategy.NONE, inventory);
    assertThat(ids(allocatable, "nvidia.com/gpu")).hasSize(2);
    assertThat(allocatable.problems())
        .containsExactly(Problem.warning("2", "nvmlDeviceGetUUID: GPU is lost"));
  }

  @Test
  void aUnhealthyMigDeviceLeavesItsSiblingsHealthy() {
    Health health = new Health(Map.of(Nodes.migUuid(0, 0), "Xid 94"));
    Inventory inventory = Nodes.of(Nodes.divided(0, "1g.5gb", "1g.5gb"));
    assertThat(unhealthy(Allocatable.from(inventory, MigStrategy.MIXED, Sharing.NONE, health)))
        .containsExactly(Nodes.migUuid(0, 0));
    assertThat(unhealthy(Allocatable.from(inventory, MigStrategy.NONE, Sharing.NONE, health)))
        .containsExactly(Nodes.uuid(0));
  }

  @Test
  void aUnhealthyGpuTakesItsMigDevicesAlong() {
    Health health = new Health(Map.of(Nodes.uuid(0), "Xid 79"));
    Inventory inventory =
        Nodes.of(Nodes.divided(0, "1g.5gb", "1g.5gb"), Nodes.divided(1, "1g.5gb"));
    assertThat(unhealthy(Allocatable.from(inventory, MigStrategy.SINGLE, Sharing.NONE, health)))
        .containsExactly(Nodes.migUuid(0, 0), Nodes.migUuid(0, 1));
  }

  private static List<String> unhealthy(Allocatable allocatable) {
    return allocatable.resources().stream()
        .flatMap(resource -> resource.devices().stream())
        .filter(device -> !device.isHealthy())
        .map(Device::id)
        .toList();
  }

  private static Allocatable from(MigStrategy strategy, Gpu... gpus) {
    return from(strategy, Nodes.of(gpus));
  }

  private static Allocatable from(MigStrategy strategy, Inventory inventory) {
    return Allocatable.from(inventory, strategy, Sharing.NONE, Health.ALL_WELL);
  }

  private static List<String> names(Allocatable allocatable) {
    return allocatable.resources().stream().map(Resource::name).toList();
  }

  private static List<String> ids(Allocatable allocatable, String resource) {
    return allocatable.resource(resource).orElseThrow().devices().stream().map(Device::id).toList();
  }
}
