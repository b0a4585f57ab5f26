package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.PassthroughDevices;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.vfio.FakePci;
import dev.pitcrew.agent.vfio.VfioDevices;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PassthroughGpus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A node with GPUs of the facts, on a PCI bus and under a driver that are as strict as real ones.
record PassthroughNode(
    TestNode files, FakePci pci, TestDriver driver, PassthroughDevices machines, List<Gpu> all) {
  private static final String CONTROLLER_3D = "0x030200";
  private static final String MODALIAS = "pci:v000010DEd00002330sv000010DEsd000016C1bc03sc02i00";
  static final FeatureSwitches FEATURES =
      new FeatureSwitches(true, false, false, true, new ConsumableShares.Disabled(), false);

  /// As in the facts, IOMMU groups count from 30 in the order of the addresses.
  private static final int FIRST_GROUP = 30;

  static PassthroughNode of(Path folder, String profile) throws IOException {
    TestNode files = TestNode.of(folder, profile, List.of());
    FakePci pci = FakePci.create(folder.resolve("bus"));
    pci.text(
        "/usr/share/hwdata/pci.ids",
        "10de  NVIDIA Corporation\n\t2330  GH100 [H100 SXM5 80GB]\n10df  Emulex Corporation\n");
    List<Gpu> gpus =
        files.devices().devices().values().stream()
            .map(ClaimDevice::gpu)
            .sorted(Comparator.comparing(gpu -> gpu.pci().address()))
            .toList();
    int group = FIRST_GROUP;
    for (Gpu gpu : gpus) {
      String address = gpu.pci().address();
      pci.device(address, CONTROLLER_3D, MODALIAS);
      pci.group(address, group++);
      pci.bindTo(address, "nvidia");
    }
    var driver = new TestDriver(pci, gpus.stream().map(gpu -> gpu.pci().address()).toList());
    driver.open();
    return new PassthroughNode(
        files, pci, driver, new PassthroughDevices(new HostRoot(pci.root())), gpus);
  }

  static boolean isOf(JsonNode fact) {
    return fact.path("featureGates").path("PassthroughSupport").asBoolean();
  }

  Inventory inventory() {
    return new Inventory(
        new DriverVersion("550.163.01", 12, 4),
        all.stream().filter(gpu -> driver.lists(gpu.pci().address())).toList(),
        List.of(),
        Topology.UNKNOWN);
  }

  /// What claims can be allocated now.
  NodeDevices devices(ClaimPreparer preparer) {
    machines.look(FEATURES, Optional.of(inventory()), preparer.claims().values());
    List<Gpu> listed = inventory().gpus();
    try {
      return TestNode.devices(
          files.folder(),
          listed,
          Stream.<ClaimDevice>concat(
                  listed.stream().map(ClaimDevice.WholeGpu::new), machines.devices().stream())
              .collect(Collectors.toMap(ClaimDevice::name, Function.identity())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The names of the devices in the ResourceSlice.
  List<String> listed(ClaimPreparer preparer) {
    machines.look(FEATURES, Optional.of(inventory()), preparer.claims().values());
    PassthroughDevices.Offer offer = machines.offer(preparer.claims().values());
    return Stream.<ClaimDevice>concat(
            inventory().gpus().stream()
                .filter(gpu -> !offer.given().contains(gpu.uuid()))
                .map(ClaimDevice.WholeGpu::new),
            offer.devices().stream())
        .map(ClaimDevice::name)
        .sorted()
        .toList();
  }

  PassthroughStep step(VfioDevices.SysfsFile file) {
    return new VfioPassthrough(
        pci.devices(file),
        PassthroughGpus.of(new HostRoot(pci.root())),
        driver,
        (gpu, isOn) -> driver.setPersistence(address(gpu), isOn),
        () -> {});
  }

  /// @param gpu its UUID or its address
  private String address(String gpu) {
    return all.stream()
        .filter(it -> it.uuid().equals(gpu))
        .map(it -> it.pci().address())
        .findFirst()
        .orElse(gpu);
  }

  /// What the kernel does when its files are written.
  void written(Path file, String text) throws IOException {
    driver.written(file, text);
  }

  /// As after a start: what the process before has open is closed, and NVML is opened again.
  ClaimPreparer preparer(VfioDevices.SysfsFile file, Consumer<ClaimPreparer.Step> steps) {
    driver.open();
    return ClaimPreparer.open(
        files.places(TestNode.BOOT),
        FEATURES,
        files.smi(),
        new NoPartitions(),
        step(file),
        (_, _) -> {},
        steps);
  }

  /// The binds and unbinds since the last look.
  List<String> changes() {
    List<String> changes = List.copyOf(pci.changes());
    pci.changes().clear();
    return changes;
  }
}
