package dev.pitcrew.device.dra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.device.Nodes;
import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.PciFunction;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SliceDevicesTest {
  private static final DriverVersion DRIVER = new DriverVersion("550.163.01", 12, 4);
  private static final Board BOARD =
      new Board(
          "NVIDIA GB200",
          189471L << 20,
          new ComputeCapability(10, 0),
          Optional.of(Brand.NVIDIA),
          Optional.of(AddressingMode.ATS));
  private static final PciFunction PCI =
      new PciFunction(
          "0008:01:00.0", OptionalInt.of(0x030200), OptionalInt.of(1), Optional.of("pci0008:00"));

  @Test
  void wholeGpuHasAllThatIsKnownOfIt() {
    SliceDevice device = only(DRIVER, gpu(BOARD, PCI));

    assertThat(device.name()).isEqualTo("gpu-3");
    assertThat(device.attributes())
        .containsOnly(
            text("type", "gpu"),
            text("uuid", Nodes.uuid(3)),
            text("productName", "NVIDIA GB200"),
            text("brand", "Nvidia"),
            text("architecture", "Blackwell"),
            text("addressingMode", "ATS"),
            version("cudaComputeCapability", "10.0.0"),
            version("cudaDriverVersion", "12.4.0"),
            version("driverVersion", "550.163.1"),
            text("resource.kubernetes.io/pciBusID", "0008:01:00.0"),
            text("resource.kubernetes.io/pcieRoot", "pci0008:00"),
            Map.entry("resource.kubernetes.io/numaNode", new Attribute.Whole(1)));
    assertThat(device.capacity()).containsOnly(Map.entry("memory", new Quantity("189471Mi")));
  }

  @Test
  void whatIsUnknownIsLeftOutWithoutAProblem() {
    var board = new Board("a GPU", 0, new ComputeCapability(0, 0));
    var pci = new PciFunction("0000:3b:00.0", OptionalInt.empty(), OptionalInt.empty());

    SliceDevices all =
        SliceDevices.of(inventory(new DriverVersion("550.163", 0, 0), gpu(board, pci)));

    assertThat(all.problems()).isEmpty();
    assertThat(all.devices().getFirst().attributes())
        .containsOnlyKeys(
            "type", "uuid", "productName", "driverVersion", "resource.kubernetes.io/pciBusID");
    assertThat(all.devices().getFirst().capacity()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"550.163.01, 550.163.1", "9.0, 9.0.0", "580, 580.0.0", "000.00.0, 0.0.0"})
  void versionsBecomeSemantic(String version, String expected) {
    SliceDevice device = only(new DriverVersion(version, 13, 0), gpu(BOARD, PCI));

    assertThat(device.attributes()).contains(version("driverVersion", expected));
  }

  @ParameterizedTest
  @ValueSource(strings = {"550.163.01.7", "", "garbage", "550..1", "1.2.x", "1.2.3-rc1", "-1.0"})
  void versionThatIsNotSemanticLeavesTheAttributeOut(String version) {
    var driver = new DriverVersion(version, 13, 0);

    SliceDevices all =
        SliceDevices.of(inventory(driver, gpu(BOARD, PCI), Nodes.withGpus(2).gpus().getFirst()));

    assertThat(all.devices()).hasSize(2);
    assertThat(all.devices())
        .noneMatch(device -> device.attributes().containsKey("driverVersion"))
        .allMatch(device -> device.attributes().containsKey("cudaDriverVersion"));
    assertThat(all.problems()).singleElement().asString().contains("driverVersion", version);
  }

  /// The API server refuses a slice with a longer text, and with it all devices.
  @Test
  void textThatTheApiServerWouldRefuseIsLeftOut() {
    var long65 = new Board("N".repeat(65), 1, new ComputeCapability(9, 0));
    var long64 = new Board("ü".repeat(32), 1, new ComputeCapability(9, 0));

    SliceDevices refused = SliceDevices.of(inventory(DRIVER, gpu(long65, PCI)));
    SliceDevices accepted = SliceDevices.of(inventory(DRIVER, gpu(long64, PCI)));

    assertThat(refused.devices().getFirst().attributes()).doesNotContainKey("productName");
    assertThat(refused.problems()).singleElement().asString().contains("productName", "64 bytes");
    assertThat(accepted.devices().getFirst().attributes()).containsKey("productName");
    assertThat(accepted.problems()).isEmpty();
  }

  @Test
  void devicesAreInTheOrderOfMinorsAndPlacements() {
    Gpu divided = placed(Nodes.divided(1, "1g.5gb", "3g.20gb"), 6, 0);
    Gpu last = Nodes.gpu(2, new Mig.Disabled(Set.of()));
    Gpu first = Nodes.gpu(0, new Mig.NotCapable());

    assertThat(SliceDevices.of(inventory(DRIVER, last, divided, first)).devices())
        .extracting(SliceDevice::name)
        .containsExactly("gpu-0", "gpu-1-mig-3g20gb-9-0", "gpu-1-mig-1g5gb-9-6", "gpu-2");
  }

  @Test
  void migDeviceHasTheCapacityOfItsInstance() {
    Gpu divided = placed(Nodes.divided(1, "2g.10gb+me"), 4);

    SliceDevice device = only(DRIVER, divided);

    assertThat(device.name()).isEqualTo("gpu-1-mig-2g10gb-me-9-4");
    assertThat(device.attributes())
        .contains(
            text("type", "mig"),
            text("profile", "2g.10gb+me"),
            text("parentUUID", Nodes.uuid(1)),
            text("uuid", Nodes.migUuid(1, 0)));
    assertThat(device.capacity())
        .containsOnly(
            Map.entry("multiprocessors", new Quantity("28")),
            Map.entry("copyEngines", new Quantity("2")),
            Map.entry("decoders", new Quantity("0")),
            Map.entry("encoders", new Quantity("0")),
            Map.entry("jpegEngines", new Quantity("0")),
            Map.entry("ofaEngines", new Quantity("0")),
            Map.entry("memory", new Quantity("10Gi")),
            Map.entry("memorySlice4", new Quantity("1")),
            Map.entry("memorySlice5", new Quantity("1")));
  }

  @Test
  void splitGpuInstanceIsNotClaimableAndHidesNothingElse() {
    Gpu placed = placed(Nodes.divided(1, "1c.3g.20gb", "2c.3g.20gb", "1g.5gb"), 0, 0, 4);
    List<MigDevice> parts = placed.mig().migDevices();
    Gpu split =
        withParts(
            placed,
            parts.get(0),
            inInstance(parts.get(1), parts.get(0).place().gpuInstance(), 1),
            parts.get(2));

    SliceDevices all =
        SliceDevices.of(inventory(DRIVER, Nodes.gpu(0, new Mig.NotCapable()), split));

    assertThat(all.devices())
        .extracting(SliceDevice::name)
        .containsExactly("gpu-0", "gpu-1-mig-1g5gb-9-4");
    assertThat(all.problems())
        .containsExactly(
            "GPU 1: GPU instance 1 has 2 compute instances; claims cannot be allocated them");
  }

  /// As NVIDIA's driver names it: by the GPU instance. The profile says what it is.
  @Test
  void onlyComputeInstanceOfAGpuInstanceIsClaimableThoughItIsSmaller() {
    SliceDevice device = only(DRIVER, placed(Nodes.divided(1, "1c.3g.20gb"), 0));

    assertThat(device.name()).isEqualTo("gpu-1-mig-3g20gb-9-0");
    assertThat(device.attributes()).contains(text("profile", "1c.3g.20gb"));
  }

  @Test
  void deviceOfUnknownPlacementIsNotClaimable() {
    SliceDevices all = SliceDevices.of(inventory(DRIVER, Nodes.divided(1, "1g.5gb")));

    assertThat(all.devices()).isEmpty();
    assertThat(all.problems()).singleElement().asString().contains("placement", "GPU 1");
  }

  @Test
  void taintsBelongToTheDevicesThatTheyName() {
    SliceDevices plain = SliceDevices.of(Nodes.withGpus(2));
    var xid = new DeviceTaint("gpu.nvidia.com/xid", "79", DeviceTaint.Effect.NO_SCHEDULE);

    SliceDevices tainted = plain.withTaints(Map.of("gpu-1", List.of(xid), "gpu-7", List.of(xid)));

    assertThat(tainted.devices())
        .extracting(SliceDevice::taints)
        .containsExactly(List.of(), List.of(xid));
    assertThat(tainted.withTaints(Map.of())).isEqualTo(plain);
  }

  @ParameterizedTest
  @CsvSource({
    "9, 0, 4, true",
    "0, 31, 1, true",
    "9, -1, 4, false",
    "9, 0, 0, false",
    "9, 0, 1073741824, false",
    "9, 2147483647, 1, false",
    "-1, 0, 1, false",
  })
  void placementIsOneThatAGpuCanHave(int profile, int start, int slices, boolean isPossible) {
    assertThat(MigPlacement.of(profile, start, slices).isPresent()).isEqualTo(isPossible);
    if (!isPossible) {
      assertThatThrownBy(() -> new MigPlacement(profile, start, slices))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static Gpu gpu(Board board, PciFunction pci) {
    Gpu plain = Nodes.gpu(3, new Mig.NotCapable());
    return new Gpu(0, 3, plain.uuid(), board, pci, plain.mig(), plain.fabric());
  }

  private static Inventory inventory(DriverVersion driver, Gpu... gpus) {
    Inventory plain = Nodes.of(gpus);
    return new Inventory(driver, plain.gpus(), List.of(), plain.topology());
  }

  private static SliceDevice only(DriverVersion driver, Gpu gpu) {
    SliceDevices all = SliceDevices.of(inventory(driver, gpu));
    assertThat(all.problems()).isEmpty();
    assertThat(all.devices()).hasSize(1);
    return all.devices().getFirst();
  }

  /// Profile 9, with a slice for each slice of the profile.
  private static Gpu placed(Gpu divided, int... starts) {
    List<MigDevice> parts = divided.mig().migDevices();
    var placed = new MigDevice[parts.size()];
    for (int part = 0; part < starts.length; part++) {
      int slices = parts.get(part).profile().gpuSlices();
      placed[part] = parts.get(part).at(new MigPlacement(9, starts[part], slices));
    }
    return withParts(divided, placed);
  }

  private static Gpu withParts(Gpu gpu, MigDevice... parts) {
    var mig = new Mig.Enabled(Set.of(), Arrays.asList(parts));
    return new Gpu(gpu.index(), gpu.minor(), gpu.uuid(), gpu.board(), gpu.pci(), mig, gpu.fabric());
  }

  private static MigDevice inInstance(MigDevice part, int gpuInstance, int computeInstance) {
    return new MigDevice(
        part.index(),
        part.uuid(),
        new MigPlace(gpuInstance, computeInstance),
        part.profile(),
        part.attributes(),
        part.memoryBytes(),
        part.capabilities(),
        part.placement());
  }

  private static Map.Entry<String, Attribute> text(String name, String value) {
    return Map.entry(name, new Attribute.Text(value));
  }

  private static Map.Entry<String, Attribute> version(String name, String value) {
    return Map.entry(name, new Attribute.Version(value));
  }
}
