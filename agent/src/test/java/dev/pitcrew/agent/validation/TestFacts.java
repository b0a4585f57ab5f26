package dev.pitcrew.agent.validation;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.validation.ValidationFacts.Cdi;
import dev.pitcrew.agent.validation.ValidationFacts.Plugin;
import dev.pitcrew.agent.validation.plan.Wanted;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Facts of a node with two GPUs that works, changed a part at a time.
record TestFacts(DriverFacts driver) {
  static final String VERSION = "550.163.01";
  private static final int BRIDGE = 0x068000;

  static TestFacts working() {
    return new TestFacts(
        new DriverFacts(
            functions("nvidia"),
            kernel(Set.of("nvidia", "nvidia_uvm")),
            files(Optional.of(VERSION)),
            loaded(Nodes.withGpus(2)),
            Optional.empty(),
            false));
  }

  /// Without a driver, and nothing that explains it.
  static TestFacts silent() {
    return working().with(kernel(Set.of("nvidia"))).silent("nvmlInit_v2: unknown error");
  }

  static TestFacts unloaded(String... modules) {
    return working()
        .with(
            new DriverFacts.Kernel(
                Set.of(modules), Optional.empty(), false, false, List.of(), false))
        .silent("nvmlInit_v2: the driver is not loaded");
  }

  static List<PciDevice> functions(String driver) {
    return IntStream.range(0, 2)
        .mapToObj(index -> function("0000:0" + index + ":00.0", 0x030200, driver))
        .toList();
  }

  private static PciDevice function(String address, int pciClass, String driver) {
    return new PciDevice(
        address,
        new PciDevice.Identity(PciDevice.NVIDIA, 0x20b0, 0, 0),
        pciClass,
        OptionalInt.empty(),
        OptionalInt.empty(),
        false,
        Optional.of(driver).filter(name -> !name.isEmpty()));
  }

  static DriverFacts.Kernel kernel(Set<String> modules) {
    return new DriverFacts.Kernel(modules, Optional.of(VERSION), false, false, List.of(), false);
  }

  static DriverFacts.Kernel fabricManager(boolean runs) {
    return new DriverFacts.Kernel(
        Set.of("nvidia", "nvidia_uvm"), Optional.of(VERSION), false, false, List.of(), runs);
  }

  static DriverFacts.Files files(Optional<String> version) {
    return new DriverFacts.Files(
        "/run/nvidia/driver", "/", version, true, List.of(), List.of(), ContainerFlags.NOTHING);
  }

  static Optional<NodeSnapshot> loaded(Inventory inventory) {
    return Optional.of(
        new NodeSnapshot.WithDriver(KnownGpus.first(inventory), UnhealthyDevices.NONE));
  }

  TestFacts with(DriverFacts.Kernel kernel) {
    return copy(driver.functions(), kernel, driver.files(), driver.snapshot());
  }

  TestFacts with(DriverFacts.Files files) {
    return copy(driver.functions(), driver.kernel(), files, driver.snapshot());
  }

  TestFacts with(Inventory inventory) {
    return copy(driver.functions(), driver.kernel(), driver.files(), loaded(inventory));
  }

  TestFacts boundTo(String kernelDriver) {
    return copy(functions(kernelDriver), driver.kernel(), driver.files(), driver.snapshot());
  }

  TestFacts forPassthrough() {
    return new TestFacts(
        new DriverFacts(
            driver.functions(),
            driver.kernel(),
            driver.files(),
            driver.snapshot(),
            driver.pausedBy(),
            true));
  }

  /// With boards whose drivers drive no display.
  TestFacts asAccelerators() {
    return copy(
        driver.functions().stream().map(it -> function(it.address(), 0x120000, "")).toList(),
        driver.kernel(),
        driver.files(),
        driver.snapshot());
  }

  TestFacts withSwitch() {
    var functions =
        Stream.concat(
                driver.functions().stream(),
                Stream.of(function("0000:c4:00.0", BRIDGE, "nvidia-nvswitch")))
            .toList();
    return copy(functions, driver.kernel(), driver.files(), driver.snapshot());
  }

  TestFacts silent(String reason) {
    return copy(
        driver.functions(),
        driver.kernel(),
        driver.files(),
        Optional.of(new NodeSnapshot.WithoutDriver(reason, Optional.empty())));
  }

  /// With everything else in order.
  ValidationFacts all() {
    return new ValidationFacts(
        driver,
        Wanted.USUAL,
        false,
        false,
        List.of("/etc/containerd/config.toml"),
        new Cdi(false, List.of()),
        ValidationFacts.Cuda.NOT_WANTED,
        new Plugin(
            true,
            Optional.of(Map.of("nvidia.com/gpu", 2)),
            0,
            List.of(),
            Optional.of(Map.of("nvidia.com/gpu", 2)),
            false));
  }

  private TestFacts copy(
      List<PciDevice> functions,
      DriverFacts.Kernel kernel,
      DriverFacts.Files files,
      Optional<NodeSnapshot> snapshot) {
    return new TestFacts(
        new DriverFacts(
            functions, kernel, files, snapshot, driver.pausedBy(), driver.isForPassthrough()));
  }
}
