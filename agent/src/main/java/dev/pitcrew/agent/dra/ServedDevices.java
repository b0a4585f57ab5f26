package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.inventory.Inventory;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What containers get of the devices that claims can be allocated.
///
/// @param node the name of the node
record ServedDevices(String node, NodeCdi cdi) {
  /// @param driverFolder where driver containers put the driver on the host
  /// @param gpus the UUIDs of those that claims serve
  /// @param own the names of the partitions of claims; empty where MIG devices are not made for
  ///   claims
  /// @param machines the GPUs that claims can give to virtual machines
  NodeDevices of(
      Inventory inventory,
      String driverFolder,
      Set<String> gpus,
      Optional<Set<String>> own,
      List<ClaimDevice.Passthrough> machines,
      ConsumableShares shares) {
    NodeCdi.Found found = cdi.of(inventory, driverFolder);
    List<ClaimDevice> devices =
        Stream.concat(ClaimDevice.of(inventory, own).stream(), machines.stream())
            .filter(device -> gpus.contains(device.gpu().uuid()))
            .toList();
    return NodeDevices.of(node, devices, found.input(), CdiOptions.ofClaims(found.hookPath()))
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
              case ClaimDevice.Partition _, ClaimDevice.Passthrough _ -> false;
            })
        .map(ClaimDevice::name)
        .collect(Collectors.toUnmodifiableSet());
  }
}
