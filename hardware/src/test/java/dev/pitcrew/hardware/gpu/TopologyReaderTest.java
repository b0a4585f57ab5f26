package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology.CommonAncestor;
import dev.pitcrew.device.inventory.Topology.Link;
import dev.pitcrew.device.inventory.Topology.Pair;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.StubLibrary;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bridged cards, which the simulated servers do not have.
class TopologyReaderTest {
  private static final String FOUR_LINKS_FROM_ONE_TO_TWO =
      """
      int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active) {
        if (link >= 6) return 2;
        *active = link < 4; return 0;
      }
      int nvmlDeviceGetNvLinkRemotePciInfo_v2(void *device, unsigned link, char *info) {
        strcpy(info + 36, device == (void *)1 ? "00000000:0F:00.0" : "00000000:07:00.0"); return 0;
      }
      int nvmlDeviceGetTopologyCommonAncestor(void *one, void *other, int *level) {
        if (other == (void *)3) return 15;
        *level = 30; return 0;
      }
      """;
  private static final GpuAt.Compute ONE = gpu(1, "0000:07:00.0");
  private static final GpuAt.Compute TWO = gpu(2, "0000:0f:00.0");
  private static final GpuAt.Compute LOST = gpu(3, "0000:47:00.0");

  @TempDir Path folder;

  @Test
  void directLinksAreCountedWhileTheyAreActive() throws Exception {
    try (var nvml = StubLibrary.open(folder, FOUR_LINKS_FROM_ONE_TO_TWO)) {
      var ways = new TopologyReader(nvml.links(), List.of(ONE, TWO)).from(ONE);

      assertThat(ways.isComplete()).isTrue();
      assertThat(ways.links())
          .isEqualTo(Map.of(new Pair("GPU-1", "GPU-2"), new Link(CommonAncestor.HOST_BRIDGE, 4)));
    }
  }

  @Test
  void aPairThatCannotBeReadTakesNoOtherAlong() throws Exception {
    try (var nvml = StubLibrary.open(folder, FOUR_LINKS_FROM_ONE_TO_TWO)) {
      var ways = new TopologyReader(nvml.links(), List.of(ONE, TWO, LOST)).from(ONE);

      assertThat(ways.isComplete()).isFalse();
      assertThat(ways.links()).containsOnlyKeys(new Pair("GPU-1", "GPU-2"));
    }
  }

  private static GpuAt.Compute gpu(int number, String address) {
    var gpu =
        new Gpu(
            number,
            number,
            "GPU-" + number,
            new Board("a card", 1, new ComputeCapability(8, 0)),
            new PciFunction(address, OptionalInt.empty(), OptionalInt.empty()),
            new Mig.NotCapable(),
            new Fabric.NotAttached());
    return new GpuAt.Compute(gpu, new DeviceHandle(number));
  }
}
