package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.plugin.Facts;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LostGpuTest {
  @TempDir Path folder;

  @Test
  void aLostGpuIsListedAsUnhealthyUntilItIsBack() {
    SimulatedNode node =
        SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g").withGpus(3));
    try (Gpus gpus = Gpus.open(Facts.settings(node)).toOptional().orElseThrow()) {
      KnownGpus before = KnownGpus.first(read(gpus));
      node.lose(1);
      KnownGpus lost = before.then(read(gpus));
      assertThat(healthy(lost)).containsExactly(true, false, true);
      assertThat(lost.unanswered()).hasSize(1);
      node.restore(1);
      assertThat(healthy(lost.then(read(gpus)))).containsExactly(true, true, true);
    }
  }

  private static Inventory read(Gpus gpus) {
    return gpus.inventory().toOptional().orElseThrow();
  }

  private static List<Boolean> healthy(KnownGpus known) {
    return Allocatable.from(
            known.inventory(),
            MigStrategy.NONE,
            Sharing.NONE,
            UnhealthyDevices.NONE.seeing(known).health())
        .resources()
        .getFirst()
        .devices()
        .stream()
        .map(Device::isHealthy)
        .toList();
  }
}
