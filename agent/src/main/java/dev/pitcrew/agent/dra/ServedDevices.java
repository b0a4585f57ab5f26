package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What containers get of the devices that claims can be allocated. The driver's files are searched
/// once for each load of the driver and each change of the devices.
final class ServedDevices {
  private final AgentContext context;
  private final InstalledHook hook;
  private Optional<Subject> subject = Optional.empty();
  private Optional<CdiInput> input = Optional.empty();

  private record Subject(
      Inventory inventory, DriverRoot driver, DeviceNodes nodes, String hookPath) {}

  ServedDevices(AgentContext context, InstalledHook hook) {
    this.context = context;
    this.hook = hook;
  }

  /// @param driverFolder where driver containers put the driver on the host
  /// @param gpus the UUIDs of those that claims serve
  /// @param own the names of the partitions of claims; empty where MIG devices are not made for
  ///   claims
  NodeDevices of(
      Inventory inventory,
      String driverFolder,
      Set<String> gpus,
      Optional<Set<String>> own,
      ConsumableShares shares) {
    DriverRoot driver = DriverPaths.finder(context, driverFolder).now();
    var next =
        new Subject(
            inventory,
            driver,
            DeviceNodeSearch.find(driver.devices(), context.host()),
            hook.now().ownOrReference());
    if (subject.filter(next::equals).isEmpty() || input.isEmpty()) {
      subject = Optional.of(next);
      input = Optional.of(CdiInput.read(inventory, driver, context.host()));
    }
    List<ClaimDevice> devices =
        ClaimDevice.of(inventory, own).stream()
            .filter(device -> gpus.contains(device.gpu().uuid()))
            .toList();
    return NodeDevices.of(
            context.identity().node(), devices, input.get(), CdiOptions.ofClaims(next.hookPath()))
        .withShareable(shares instanceof ConsumableShares.Disabled ? Set.of() : shareable(devices));
  }

  /// A GPU that claims divide, and each of its partitions, is for one claim.
  private static Set<String> shareable(List<ClaimDevice> devices) {
    Set<String> divided =
        devices.stream()
            .filter(ClaimDevice.Partition.class::isInstance)
            .map(device -> device.gpu().uuid())
            .collect(Collectors.toUnmodifiableSet());
    return devices.stream()
        .filter(device ->
            switch (device) {
              case ClaimDevice.WholeGpu(var gpu) -> !divided.contains(gpu.uuid());
              case ClaimDevice.MigPart _ -> true;
              case ClaimDevice.Partition _ -> false;
            })
        .map(ClaimDevice::name)
        .collect(Collectors.toUnmodifiableSet());
  }
}
