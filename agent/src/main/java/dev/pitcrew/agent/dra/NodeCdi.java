package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.InstalledHook;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.util.Optional;

/// What the specifications of a driver are made of. The driver's files are searched once for each
/// load of the driver and each change of the devices.
final class NodeCdi {
  private final AgentContext context;
  private final InstalledHook hook;
  private Optional<Subject> subject = Optional.empty();
  private Optional<Found> found = Optional.empty();

  private record Subject(
      Inventory inventory, DriverRoot driver, DeviceNodes nodes, String hookPath) {}

  /// @param hookPath the hook program on the host
  record Found(CdiInput input, String hookPath) {}

  NodeCdi(AgentContext context, InstalledHook hook) {
    this.context = context;
    this.hook = hook;
  }

  /// @param driverFolder where driver containers put the driver on the host
  Found of(Inventory inventory, String driverFolder) {
    DriverRoot driver = DriverPaths.finder(context, driverFolder).now();
    var next =
        new Subject(
            inventory,
            driver,
            DeviceNodeSearch.find(driver.devices(), context.host()),
            hook.now().ownOrReference());
    Found now =
        found
            .filter(_ -> subject.filter(next::equals).isPresent())
            .orElseGet(
                () -> new Found(CdiInput.read(inventory, driver, context.host()), next.hookPath()));
    subject = Optional.of(next);
    found = Optional.of(now);
    return now;
  }
}
