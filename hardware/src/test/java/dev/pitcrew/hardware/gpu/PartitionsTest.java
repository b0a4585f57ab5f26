package dev.pitcrew.hardware.gpu;

import static dev.pitcrew.hardware.gpu.OpenedGpus.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionsTest {
  @TempDir Path folder;

  @Test
  void board_reportsItsProfilesAndPlacementsBeforeItIsDivided() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g"));
    try (var gpus = OpenedGpus.of(node)) {
      var gpu = value(gpus.partitions().read(0));

      assertThat(gpu.ids().deviceText()).isEqualTo("0x20B010DE");
      assertThat(gpu.changesModeByReset()).isTrue();
      assertThat(capable(gpu.division()).profiles())
          .extracting(profile -> profile.shape().name())
          .containsExactly(
              "1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "1g.5gb+me", "1g.10gb");
      assertThat(profile(gpu.division(), "3g.20gb").placements())
          .containsExactly(new Placement(0, 4), new Placement(4, 4));
    }
  }

  @Test
  void anInstanceIsMadeAtItsPlaceAndRemoved() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      var partitions = gpus.partitions();
      value(partitions.setMode(1, true));
      var profile = profile(value(partitions.read(1)).division(), "3g.40gb");
      value(partitions.createInstance(1, profile, new Placement(4, 4)));

      GpuInstance empty = only(value(partitions.read(1)).division());
      assertThat(empty.placement()).isEqualTo(new Placement(4, 4));
      assertThat(empty.computes()).isEmpty();

      value(partitions.createCompute(1, empty.id(), 2));
      value(partitions.createCompute(1, empty.id(), 1));
      GpuInstance full = only(value(partitions.read(1)).division());
      assertThat(full.computeSlices()).containsExactly(2, 1);
      assertThat(capable(value(partitions.read(1)).division()).counts())
          .containsOnlyKeys("2c.3g.40gb", "1c.3g.40gb");

      node.simulate("process", "1", "4711", "100", "" + full.id(), "0");
      assertThat(only(value(partitions.read(1)).division()).processes()).containsExactly(4711);
      assertThat(partitions.destroyCompute(1, full.id(), 0).isFailedWith(NvmlError.IN_USE))
          .isTrue();
      node.simulate("process", "1", "4711", "0", "" + full.id(), "0");
      full.computes()
          .forEach(compute -> value(partitions.destroyCompute(1, full.id(), compute.id())));
      value(partitions.destroyInstance(1, full.id()));
      assertThat(capable(value(partitions.read(1)).division()).instances()).isEmpty();
    }
  }

  @Test
  void graphicsAndMpsClientsUseAGpuToo() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    node.simulate("process", "0", "4711", "100", "--graphics");
    node.simulate("process", "0", "4712", "100", "--mps");
    node.simulate("process", "0", "4713", "100");
    try (var gpus = OpenedGpus.of(node)) {
      var partitions = gpus.partitions();

      assertThat(value(partitions.processes(0))).containsExactlyInAnyOrder(4711, 4712, 4713);
      assertThat(capable(value(partitions.read(0)).division()).processes())
          .containsExactlyInAnyOrder(4711, 4712, 4713);
    }
  }

  /// R470 has older calls for most of it, and none for the clients of MPS.
  @Test
  void aDriverOfR470ListsPlacementsAndProcessesToo() {
    var options = SimulatedNodeOptions.of("a100-40g").withDriver("470.256.02", "11.4");
    var node = SimulatedNode.create(folder, options);
    node.divide("mode 0 1 1");
    node.simulate("process", "0", "4711", "100", "--graphics");
    node.simulate("process", "0", "4713", "100");
    try (var gpus = OpenedGpus.of(node)) {
      MigPartitioning division = value(gpus.partitions().read(0)).division();

      assertThat(profile(division, "2g.10gb").placements())
          .containsExactly(new Placement(0, 2), new Placement(2, 2), new Placement(4, 2));
      assertThat(capable(division).profiles())
          .extracting(profile -> profile.shape().name())
          .containsExactly("1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "1g.5gb+me");
      assertThat(capable(division).processes()).containsExactlyInAnyOrder(4711, 4713);
    }
  }

  @Test
  void aGpuWithoutMigSaysSo() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("t4"));
    try (var gpus = OpenedGpus.of(node)) {
      assertThat(value(gpus.partitions().readAll()))
          .hasSize(2)
          .allMatch(gpu -> gpu.division() instanceof MigPartitioning.NotCapable);
    }
  }

  private static MigPartitioning.Capable capable(MigPartitioning division) {
    assertThat(division).isInstanceOf(MigPartitioning.Capable.class);
    return (MigPartitioning.Capable) division;
  }

  private static InstanceProfile profile(MigPartitioning division, String name) {
    return capable(division).profiles().stream()
        .filter(profile -> profile.shape().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static GpuInstance only(MigPartitioning division) {
    assertThat(capable(division).instances()).hasSize(1);
    return capable(division).instances().getFirst();
  }
}
