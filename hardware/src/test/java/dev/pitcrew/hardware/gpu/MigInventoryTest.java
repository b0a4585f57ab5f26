package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigInventoryTest {
  private static final String MIXED_LAYOUT =
      """
      mode 1 1 1
      gi 1 1 2 0 4
      ci 1 1 0 1 0 2
      ci 1 1 1 0 2 1
      gi 1 7 0 4 1
      ci 1 7 0 0 0 1
      gi 1 8 7 5 1
      ci 1 8 0 0 0 1
      """;

  @TempDir Path folder;

  @Test
  void migDevicesAreReadWithTheirProfilesAndPlaces() {
    var devices = divided("a100-40g", MIXED_LAYOUT);

    assertThat(devices).extracting(MigDevice::index).containsExactly(0, 1, 2, 3);
    assertThat(devices)
        .extracting(device -> device.profile().name())
        .containsExactlyInAnyOrder("2c.3g.20gb", "1c.3g.20gb", "1g.5gb", "1g.5gb+me");
  }

  @Test
  void placementIsThatOfTheGpuInstance() {
    var devices = divided("a100-40g", MIXED_LAYOUT);

    assertThat(devices)
        .extracting(device -> device.profile().name(), MigDevice::placement)
        .containsExactlyInAnyOrder(
            tuple("2c.3g.20gb", Optional.of(new MigPlacement(9, 0, 4))),
            tuple("1c.3g.20gb", Optional.of(new MigPlacement(9, 0, 4))),
            tuple("1g.5gb", Optional.of(new MigPlacement(19, 4, 1))),
            tuple("1g.5gb+me", Optional.of(new MigPlacement(20, 5, 1))));
  }

  @Test
  void aMigDeviceIsWhatTheSimulatorShows() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g"));
    node.divide(MIXED_LAYOUT);

    var devices = OpenedGpus.inventory(node).gpus().get(1).mig().migDevices();

    for (var shown : node.migDevices()) {
      var device = devices.get(shown.index());
      assertThat(device.uuid()).isEqualTo(shown.uuid()).startsWith("MIG-");
      assertThat(device.place())
          .isEqualTo(new MigPlace(shown.gpuInstance(), shown.computeInstance()));
    }
  }

  @Test
  void capabilitiesAreTheMinorsOfTheDriversFiles() {
    var device = divided("a100-40g", MIXED_LAYOUT).getFirst();

    int instance = 3 + 135 + device.place().gpuInstance() * 9;
    int compute = instance + 1 + device.place().computeInstance();
    assertThat(device.capabilities()).contains(new MigCapabilities(instance, compute));
  }

  @Test
  void attributesAndMemoryAreThoseOfTheInstance() {
    var device = divided("a100-40g", MIXED_LAYOUT).getFirst();

    assertThat(device.attributes().gpuInstanceSlices()).isEqualTo(3);
    assertThat(device.attributes().computeInstanceSlices()).isEqualTo(2);
    assertThat(device.attributes().memoryMiB()).isEqualTo(19968);
    assertThat(device.memoryBytes()).isEqualTo(19968L << 20);
    assertThat(device.attributes().engines().copy()).isPositive();
  }

  @Test
  void onlyTheDividedGpuIsInMigMode() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g"));
    node.divide("mode 1 1 1\n");

    var gpus = OpenedGpus.inventory(node).gpus();

    assertThat(gpus.get(0).mig()).isInstanceOf(Mig.Disabled.class);
    assertThat(gpus.get(1).mig().isEnabled()).isTrue();
    assertThat(gpus.get(1).mig().migDevices()).isEmpty();
  }

  @Test
  void withoutTheDriversFileThereAreNoCapabilities() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("a100-40g"));
    node.divide(MIXED_LAYOUT);
    assertThat(folder.resolve("proc/driver/nvidia-caps/mig-minors").toFile().delete()).isTrue();

    var device = OpenedGpus.inventory(node).gpus().get(1).mig().migDevices().getFirst();

    assertThat(device.capabilities()).isEqualTo(Optional.empty());
  }

  @ParameterizedTest
  @CsvSource({
    "a100-40g, 1g.5gb;1g.5gb+me;1g.10gb;2g.10gb;3g.20gb;4g.20gb;7g.40gb",
    "a100-80g, 1g.10gb;1g.10gb+me;1g.20gb;2g.20gb;3g.40gb;4g.40gb;7g.80gb",
    "h100, 1g.10gb;1g.10gb+me;1g.20gb;2g.20gb;3g.40gb;4g.40gb;7g.80gb",
    "h200, 1g.18gb;1g.18gb+me;1g.35gb;2g.35gb;3g.71gb;4g.71gb;7g.141gb",
    "b200, 1g.23gb;1g.23gb+me;1g.45gb;2g.45gb;3g.90gb;4g.90gb;7g.180gb"
  })
  void wholeProfilesAreNamedAsNvidiaNamesThem(String profile, String names) {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of(profile));

    var supported = OpenedGpus.inventory(node).gpus().getFirst().mig().supportedProfiles();

    assertThat(supported.stream().filter(MigProfile::isWhole).map(MigProfile::name))
        .containsExactlyInAnyOrder(names.split(";"));
  }

  private List<MigDevice> divided(String profile, String layout) {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of(profile));
    node.divide(layout);
    return OpenedGpus.inventory(node).gpus().get(1).mig().migDevices();
  }
}
