package dev.pitcrew.agent.cdi;

import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodeSearch;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.driver.DriverFiles;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverSearch;
import java.util.Optional;

/// All that specifications are made of.
///
/// @param driver empty where no driver's files were found; then there are specifications only of
///   classes that need none
public record CdiInput(
    Inventory inventory, DriverRoot root, Optional<DriverFiles> driver, DeviceNodes nodes) {

  /// Reads the files and nodes that belong to an inventory.
  ///
  /// @param host the root with the kernel's `/proc` and `/sys`
  public static CdiInput read(Inventory inventory, DriverRoot root, HostRoot host) {
    Optional<String> loaded = Optional.of(inventory.driver().driver());
    return new CdiInput(
        inventory,
        root,
        DriverSearch.find(root, host, loaded),
        DeviceNodeSearch.find(root.devices(), host));
  }
}
