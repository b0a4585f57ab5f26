package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.agent.host.HostProfile;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.status.plan.NodeFacts.DriverFacts;
import dev.pitcrew.agent.status.plan.NodeFacts.SharingFacts;
import dev.pitcrew.agent.validation.Validation;
import dev.pitcrew.api.node.AgentStatus;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/// Facts of small nodes, changed a part at a time.
record TestNode(NodeFacts facts) {
  private static final SharingFacts UNSHARED = new SharingFacts(Optional.empty(), Sharing.NONE);

  /// Before anything was looked at.
  static TestNode unknown() {
    return new TestNode(
        new NodeFacts(
            new AgentStatus("pitcrew-agent-abcde", List.of("labels", "devicePlugin"), Map.of()),
            Optional.empty(),
            Optional.empty(),
            new DriverFacts(Optional.of("/"), Optional.empty(), DriverTraces.NONE),
            Optional.empty(),
            UNSHARED,
            List.of(),
            PluginState.ON,
            Optional.empty(),
            Optional.empty(),
            RuntimeFacts.NONE,
            Optional.empty(),
            Map.of()));
  }

  /// GPUs on the bus at 0000:00:00.0, 0000:01:00.0, ... and no driver.
  static TestNode onBus(int gpus) {
    return unknown().withPci(functions(gpus)).withoutDriver("the driver is not loaded");
  }

  static TestNode well(int gpus) {
    return of(Nodes.withGpus(gpus));
  }

  static TestNode of(Inventory inventory) {
    return onBus(inventory.gpus().size()).with(KnownGpus.first(inventory), UnhealthyDevices.NONE);
  }

  static List<PciDevice> functions(int gpus) {
    return IntStream.range(0, gpus)
        .mapToObj(index -> function("0000:0" + index + ":00.0", "nvidia"))
        .toList();
  }

  static PciDevice function(String address, String driver) {
    return function(address, 0x030200, Optional.of(driver));
  }

  /// A board of a class that no driver binds.
  static PciDevice accelerator(String address) {
    return function(address, 0x120000, Optional.empty());
  }

  private static PciDevice function(String address, int pciClass, Optional<String> driver) {
    return new PciDevice(
        address,
        new PciDevice.Identity(PciDevice.NVIDIA, 0x20b0, 0, 0),
        pciClass,
        OptionalInt.empty(),
        OptionalInt.empty(),
        false,
        driver);
  }

  TestNode with(KnownGpus known, UnhealthyDevices unhealthy) {
    return with(new NodeSnapshot.WithDriver(known, unhealthy));
  }

  TestNode with(NodeSnapshot.WithDriver snapshot) {
    var offered =
        Allocatable.from(
            snapshot.gpus().inventory(),
            MigStrategy.NONE,
            facts.sharing().sharing(),
            snapshot.health());
    return copy(
        Optional.of(snapshot), facts.pci(), facts.driver(), Optional.of(offered), facts.problems());
  }

  TestNode withUnhealthy(UnhealthyDevices unhealthy) {
    return with(facts.withDriver().orElseThrow().gpus(), unhealthy);
  }

  TestNode withoutDriver(String reason) {
    return copy(
        Optional.of(new NodeSnapshot.WithoutDriver(reason, Optional.empty())),
        facts.pci(),
        facts.driver(),
        Optional.of(new Allocatable(List.of(), List.of())),
        facts.problems());
  }

  TestNode withPci(List<PciDevice> functions) {
    return copy(
        facts.snapshot(),
        Optional.of(functions),
        facts.driver(),
        facts.offered(),
        facts.problems());
  }

  TestNode withDriver(DriverFacts driver) {
    return copy(facts.snapshot(), facts.pci(), driver, facts.offered(), facts.problems());
  }

  TestNode withOffered(Allocatable offered) {
    return copy(
        facts.snapshot(), facts.pci(), facts.driver(), Optional.of(offered), facts.problems());
  }

  TestNode withProblems(NodeProblem... problems) {
    return copy(facts.snapshot(), facts.pci(), facts.driver(), facts.offered(), List.of(problems));
  }

  TestNode withPlugin(PluginState state) {
    return new TestNode(
        new NodeFacts(
            facts.agent(),
            facts.snapshot(),
            facts.pci(),
            facts.driver(),
            facts.offered(),
            facts.sharing(),
            facts.problems(),
            state,
            facts.validation(),
            facts.host(),
            facts.runtime(),
            facts.mig(),
            facts.resets()));
  }

  TestNode withSharing(SharingFacts sharing) {
    return new TestNode(
        new NodeFacts(
            facts.agent(),
            facts.snapshot(),
            facts.pci(),
            facts.driver(),
            facts.offered(),
            sharing,
            facts.problems(),
            facts.plugin(),
            facts.validation(),
            facts.host(),
            facts.runtime(),
            facts.mig(),
            facts.resets()));
  }

  TestNode withValidation(Validation validation) {
    return new TestNode(
        new NodeFacts(
            facts.agent(),
            facts.snapshot(),
            facts.pci(),
            facts.driver(),
            facts.offered(),
            facts.sharing(),
            facts.problems(),
            facts.plugin(),
            Optional.of(validation),
            facts.host(),
            facts.runtime(),
            facts.mig(),
            facts.resets()));
  }

  TestNode withHost(HostProfile host) {
    return new TestNode(
        new NodeFacts(
            facts.agent(),
            facts.snapshot(),
            facts.pci(),
            facts.driver(),
            facts.offered(),
            facts.sharing(),
            facts.problems(),
            facts.plugin(),
            facts.validation(),
            Optional.of(host),
            facts.runtime(),
            facts.mig(),
            facts.resets()));
  }

  private TestNode copy(
      Optional<NodeSnapshot> snapshot,
      Optional<List<PciDevice>> pci,
      DriverFacts driver,
      Optional<Allocatable> offered,
      List<NodeProblem> problems) {
    return new TestNode(
        new NodeFacts(
            facts.agent(),
            snapshot,
            pci,
            driver,
            offered,
            facts.sharing(),
            problems,
            facts.plugin(),
            facts.validation(),
            facts.host(),
            facts.runtime(),
            facts.mig(),
            facts.resets()));
  }
}
