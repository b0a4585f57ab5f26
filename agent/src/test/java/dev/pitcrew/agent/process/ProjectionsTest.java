package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.gpu.DeviceNodeController;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.settings.SettingsPlan;
import dev.pitcrew.agent.settings.SettingsSource;
import dev.pitcrew.device.inventory.Inventory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProjectionsTest {
  private static final Inventory GPUS = Nodes.withGpus(2);

  /// A load that NVML does not show, since it was over before the next look: the kernel may have
  /// given the driver other major numbers.
  @Test
  void deviceNodesAreOfOneLoadOfTheDriver() {
    NodeState first = configured().with(loaded("1"));
    NodeState made = first.with(nodesOf(first));
    assertThat(made.waitsForDeviceNodes()).isFalse();

    NodeState reloaded = made.with(loaded("2"));

    assertThat(Projections.deviceNodes(reloaded))
        .isPresent()
        .isNotEqualTo(Projections.deviceNodes(made));
    assertThat(reloaded.waitsForDeviceNodes()).isTrue();
    assertThat(reloaded.with(nodesOf(reloaded)).waitsForDeviceNodes()).isFalse();
  }

  private static DeviceNodeController.View nodesOf(NodeState state) {
    return Projections.deviceNodes(state).orElseThrow().view(List.of());
  }

  private static NodeSnapshot.WithDriver loaded(String load) {
    return new NodeSnapshot.WithDriver(
        KnownGpus.first(GPUS),
        new UnhealthyDevices(
            Map.<String, UnhealthyDevices.Xid>of(), Map.of(), Set.of(), Optional.of(load)));
  }

  private static NodeState configured() {
    var source =
        new SettingsSource(
            "gpu-operator",
            Optional.of("{\"apiVersion\": \"pitcrew.dev/v1alpha1\", \"functions\": [\"health\"]}"),
            Map.of(),
            Set.of(),
            Set.of());
    return NodeState.UNKNOWN.with(SettingsPlan.decide(source, Optional.empty()));
  }
}
