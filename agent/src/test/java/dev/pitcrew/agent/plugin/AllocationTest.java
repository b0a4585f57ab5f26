package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.config.DeviceIdStrategy;
import dev.pitcrew.agent.config.DeviceListStrategy;
import dev.pitcrew.agent.plugin.ContainerResponse.DeviceFile;
import dev.pitcrew.agent.plugin.ContainerResponse.Mount;
import dev.pitcrew.agent.plugin.PluginSettings.DeviceSpecs;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.allocation.SharedPolicy;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AllocationTest {
  private static final String VENDOR = "k8s.device-plugin.nvidia.com";

  @Test
  void theVariableNamesDevicesInTheOrderOfTheRequest() {
    ContainerResponse response =
        response(settings(DeviceListStrategy.ENVVAR), Nodes.uuid(1), Nodes.uuid(0), Nodes.uuid(1));
    assertThat(response.environment())
        .containsOnlyKeys("NVIDIA_VISIBLE_DEVICES")
        .containsValue(Nodes.uuid(1) + "," + Nodes.uuid(0));
  }

  @Test
  void volumeMountsReplaceTheVariableWhenBothAreOn() {
    ContainerResponse response =
        response(
            with(List.of(0), Set.of(), DeviceListStrategy.ENVVAR, DeviceListStrategy.VOLUME_MOUNTS),
            Nodes.uuid(0));
    assertThat(response.environment())
        .containsEntry("NVIDIA_VISIBLE_DEVICES", "/var/run/nvidia-container-devices")
        .containsEntry("NVIDIA_IMEX_CHANNELS", "0");
    assertThat(response.mounts())
        .containsExactly(
            new Mount("/dev/null", "/var/run/nvidia-container-devices/" + Nodes.uuid(0)),
            new Mount("/dev/null", "/var/run/nvidia-container-devices/imex/0"));
  }

  @Test
  void cdiNamesComeInTheirOrderAndWithoutVariable() {
    ContainerResponse response =
        response(
            with(
                List.of(0),
                EnumSet.allOf(Injection.class),
                DeviceListStrategy.CDI_ANNOTATIONS,
                DeviceListStrategy.CDI_CRI),
            Nodes.uuid(0));
    assertThat(response.cdiDevices())
        .containsExactly(
            VENDOR + "/gpu=" + Nodes.uuid(0),
            VENDOR + "/imex-channel=0",
            VENDOR + "/gdrcopy=all",
            VENDOR + "/gds=all",
            VENDOR + "/mofed=all");
    assertThat(response.annotations())
        .containsOnlyKeys("cdi.k8s.io/nvidia-device-plugin_name")
        .containsValue(String.join(",", response.cdiDevices()));
    assertThat(response.environment())
        .containsOnlyKeys("NVIDIA_GDRCOPY", "NVIDIA_GDS", "NVIDIA_MOFED");
  }

  @Test
  void deviceFilesAreThoseOfTheControlNodesTheDevicesAndTheChannels() {
    PluginSettings settings =
        new PluginSettings(
            Set.of(DeviceListStrategy.ENVVAR),
            DeviceIdStrategy.INDEX,
            SharedPolicy.DISTRIBUTED,
            Optional.of(DeviceSpecs.of("/run/nvidia/driver", "/dev/nvidiactl"::equals)),
            "cdi.k8s.io/",
            Set.of(),
            Set.of(),
            List.of(0),
            Optional.empty());
    Offer offer = offer(Nodes.of(Nodes.divided(0, 1)), MigStrategy.MIXED, settings);
    ContainerResponse response = granted(offer, Nodes.migUuid(0, 0));
    assertThat(response.environment()).containsEntry("NVIDIA_VISIBLE_DEVICES", "0:0");
    assertThat(response.deviceFiles())
        .extracting(DeviceFile::containerPath)
        .containsExactly(
            "/dev/nvidiactl",
            "/dev/nvidia0",
            "/dev/nvidia-caps/nvidia-cap0",
            "/dev/nvidia-caps/nvidia-cap1",
            "/dev/nvidia-caps-imex-channels/channel0");
    assertThat(response.deviceFiles().getFirst().hostPath())
        .isEqualTo("/run/nvidia/driver/dev/nvidiactl");
  }

  @Test
  void anUnknownDeviceIsNamed() {
    Offer offer = offer(Nodes.withGpus(1), MigStrategy.NONE, PluginSettings.DEFAULT);
    assertThat(Allocation.of(offer, List.of("no-such-device"), () -> "name"))
        .isEqualTo(
            new Allocation.Refused(
                "invalid allocation request for \"nvidia.com/gpu\": invalid request: unknown"
                    + " device: no-such-device"));
  }

  private static ContainerResponse response(PluginSettings settings, String... ids) {
    return granted(offer(Nodes.withGpus(2), MigStrategy.NONE, settings), ids);
  }

  private static ContainerResponse granted(Offer offer, String... ids) {
    Allocation allocation = Allocation.of(offer, List.of(ids), () -> "name");
    assertThat(allocation).isInstanceOf(Allocation.Granted.class);
    return ((Allocation.Granted) allocation).response();
  }

  private static Offer offer(Inventory inventory, MigStrategy strategy, PluginSettings settings) {
    Allocatable allocatable = Allocatable.from(inventory, strategy, Sharing.NONE, Health.ALL_WELL);
    return Offer.of(allocatable, Topology.UNKNOWN, settings).getFirst();
  }

  private static PluginSettings settings(DeviceListStrategy... strategies) {
    return with(List.of(), Set.of(), strategies);
  }

  private static PluginSettings with(
      List<Integer> channels, Set<Injection> injections, DeviceListStrategy... strategies) {
    return new PluginSettings(
        Set.of(strategies),
        DeviceIdStrategy.UUID,
        SharedPolicy.DISTRIBUTED,
        Optional.empty(),
        "cdi.k8s.io/",
        injections,
        injections,
        channels,
        Optional.empty());
  }
}
