package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpusTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "t4, Tesla T4, 7.5, 15, false",
    "l40s, NVIDIA L40S, 8.9, 45, false",
    "a100-40g, NVIDIA A100-SXM4-40GB, 8.0, 40, true",
    "a100-80g, NVIDIA A100-SXM4-80GB, 8.0, 80, true",
    "h100, NVIDIA H100 80GB HBM3, 9.0, 80, true",
    "h200, NVIDIA H200, 9.0, 141, true",
    "b200, NVIDIA B200, 10.0, 180, true",
    "gb200, NVIDIA GB200, 10.0, 186, true"
  })
  void everyBoardIsRead(String profile, String name, String capability, int gib, boolean hasMig) {
    var inventory = OpenedGpus.inventory(node(SimulatedNodeOptions.of(profile)));

    assertThat(inventory.unreadable()).isEmpty();
    assertThat(inventory.gpus()).hasSize(2);
    var board = inventory.gpus().getLast().board();
    assertThat(board.name()).isEqualTo(name);
    assertThat(board.computeCapability()).hasToString(capability);
    assertThat(Math.ceilDiv(board.memoryBytes(), 1L << 30)).isEqualTo(gib);
    assertThat(inventory.gpus().getLast().mig().isCapable()).isEqualTo(hasMig);
  }

  @Test
  void aGpuIsReadWithItsPlaceOnTheNode() {
    var node = node(SimulatedNodeOptions.of("a100-40g").withGpus(8));

    var inventory = OpenedGpus.inventory(node);

    assertThat(inventory.driver()).isEqualTo(new DriverVersion("550.163.01", 12, 4));
    assertThat(inventory.gpus()).hasSize(8);
    var gpu = inventory.gpus().get(4);
    var shown = node.gpus().get(4);
    assertThat(gpu.index()).isEqualTo(4);
    assertThat(gpu.minor()).isEqualTo(shown.minor());
    assertThat(gpu.uuid()).isEqualTo("GPU-12345678-1234-1234-1234-123456780004");
    assertThat(gpu.board().computeCapability()).isEqualTo(new ComputeCapability(8, 0));
    assertThat(gpu.pci())
        .isEqualTo(
            new PciFunction(
                shown.pciAddress(),
                OptionalInt.of(0x030200),
                OptionalInt.of(shown.numaNode()),
                Optional.of("pci0000:80")));
    assertThat(gpu.mig()).isInstanceOf(Mig.Disabled.class);
    assertThat(gpu.fabric()).isEqualTo(new Fabric.NotAttached());
  }

  @Test
  void brandAndAddressingModeAreThoseOfTheBoard() {
    var board = board(node(SimulatedNodeOptions.of("gb200").withDriver("580.65.06", "13.0")));

    assertThat(board.brand()).contains(Brand.NVIDIA);
    assertThat(board.addressingMode()).contains(AddressingMode.ATS);
  }

  /// Such a driver has no nvmlDeviceGetAddressingMode.
  @Test
  void driversBeforeR580ReportNoAddressingMode() {
    var board = board(node(SimulatedNodeOptions.of("gb200").withDriver("575.57.08", "12.9")));

    assertThat(board.brand()).contains(Brand.NVIDIA);
    assertThat(board.addressingMode()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"nvmlDeviceGetBrand", "nvmlDeviceGetAddressingMode"})
  void gpuIsReadableAlthoughOneOfItsTraitsIsNot(String call) {
    var node = node(SimulatedNodeOptions.of("h100").withDriver("580.65.06", "13.0"));
    try (var gpus = OpenedGpus.of(node)) {
      node.simulate("fail", call, "999", "2");

      var failed = OpenedGpus.value(gpus.inventory());
      var later = OpenedGpus.value(gpus.inventory());

      assertThat(failed.unreadable()).isEmpty();
      assertThat(failed.gpus().stream().map(Gpu::board))
          .hasSize(2)
          .allMatch(board -> board.brand().isPresent() != board.addressingMode().isPresent());
      assertThat(later.gpus().stream().map(Gpu::board))
          .allMatch(board -> board.brand().isPresent() && board.addressingMode().isPresent());
    }
  }

  private static Board board(SimulatedNode node) {
    return OpenedGpus.inventory(node).gpus().getFirst().board();
  }

  @Test
  void topology_reportsHowFarGpusAreApart() {
    var inventory = OpenedGpus.inventory(node(SimulatedNodeOptions.of("a100-40g").withGpus(8)));

    var uuids = inventory.gpus().stream().map(Gpu::uuid).toList();
    var topology = inventory.topology();
    assertThat(topology.links()).hasSize(8 * 7);
    assertThat(topology.between(uuids.get(0), uuids.get(1)).ancestor())
        .isEqualTo(CommonAncestor.MULTIPLE);
    assertThat(topology.between(uuids.get(0), uuids.get(2)).ancestor())
        .isEqualTo(CommonAncestor.NUMA_NODE);
    assertThat(topology.between(uuids.get(0), uuids.get(7)).ancestor())
        .isEqualTo(CommonAncestor.SYSTEM);
    // All links lead to switches.
    assertThat(topology.links().values()).allMatch(link -> link.nvLinks() == 0);
  }

  @Test
  void membersOfAFabricNameItsCliqueAndCluster() {
    var inventory = OpenedGpus.inventory(node(SimulatedNodeOptions.of("gb200")));

    assertThat(inventory.gpus()).allMatch(gpu -> gpu.fabric() instanceof Fabric.Attached);
    assertThat(inventory.gpus().stream().map(Gpu::fabric).distinct()).hasSize(1);
  }

  /// As in a virtual machine to which GPUs of an HGX board are given one by one.
  @Test
  void gpusWhoseNvlinkIsOffAreReadAllTheSame() {
    var node = node(SimulatedNodeOptions.of("h100").withDriver("580.159.04", "13.0"));
    node.set(0, "nvlink_disabled", "1");
    node.set(1, "nvlink_disabled", "1");

    try (var gpus = OpenedGpus.of(node)) {
      var inventory = OpenedGpus.value(gpus.inventory());
      assertThat(inventory.unreadable()).isEmpty();
      assertThat(inventory.gpus()).allMatch(gpu -> gpu.fabric().equals(new Fabric.NotAttached()));
      assertThat(inventory.topology().links()).hasSize(2);
      assertThat(inventory.topology().links().values()).allMatch(link -> link.nvLinks() == 0);
      assertThat(gpus.vitals(List.of(0, 1), Duration.ofSeconds(10)).values())
          .hasSize(2)
          .noneMatch(vitals -> vitals.has(Vital.ACTIVE_NVLINKS))
          .allMatch(vitals -> vitals.has(Vital.RECOVERY_ACTION));
    }
  }

  @Test
  void aLostGpuTakesNoOtherAlong() {
    var node = node(SimulatedNodeOptions.of("h100").withGpus(3));
    try (var gpus = OpenedGpus.of(node)) {
      node.lose(1);
      var inventory = OpenedGpus.value(gpus.inventory());

      assertThat(inventory.gpus().stream().map(Gpu::index)).containsExactly(0, 2);
      assertThat(inventory.unreadable())
          .containsExactly(
              new UnreadableGpu(1, "nvmlDeviceGetHandleByIndex_v2: the GPU is lost", true));

      node.restore(1);
      assertThat(OpenedGpus.value(gpus.inventory()).unreadable()).isEmpty();
    }
  }

  @Test
  void cardsForDisplaysAreSkippedAndIndexesKept() {
    var node = node(SimulatedNodeOptions.of("a100-40g").withGpus(3));
    node.set(1, "name", "NVIDIA DGX Display");

    var inventory = OpenedGpus.inventory(node);

    assertThat(inventory.gpus().stream().map(Gpu::index)).containsExactly(0, 2);
    assertThat(inventory.unreadable()).isEmpty();
  }

  @Test
  void aUuidThatIsNoneIsNotBelieved() {
    var node = node(SimulatedNodeOptions.of("t4"));
    node.set(0, "uuid", "../../etc");

    assertThat(OpenedGpus.inventory(node).unreadable())
        .containsExactly(new UnreadableGpu(0, "nvmlDeviceGetUUID: the answer makes no sense"));
  }

  private SimulatedNode node(SimulatedNodeOptions options) {
    return SimulatedNode.create(folder, options);
  }
}
