package dev.pitcrew.device.dra;

import dev.pitcrew.device.inventory.Inventory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The devices of a node as its ResourceSlices list them.
///
/// @param devices in a stable order: by the minor of the GPU, then by the MIG placement
/// @param problems a line for each GPU instance and each attribute that is left out
public record SliceDevices(List<SliceDevice> devices, List<String> problems) {
  public SliceDevices {
    devices = List.copyOf(devices);
    problems = List.copyOf(problems);
  }

  /// @param taints by the name of the device; a device that is not named has none
  public SliceDevices withTaints(Map<String, List<DeviceTaint>> taints) {
    return new SliceDevices(
        devices.stream()
            .map(device -> device.withTaints(taints.getOrDefault(device.name(), List.of())))
            .toList(),
        problems);
  }

  public static SliceDevices of(Inventory inventory) {
    ClaimDevices claimable = ClaimDevices.of(inventory);
    var problems = new LinkedHashSet<>(claimable.problems());
    var devices = new ArrayList<SliceDevice>();
    for (ClaimDevice device : claimable.devices()) {
      var facts = new DeviceFacts(inventory.driver(), device, problems);
      devices.add(new SliceDevice(device.name(), facts.attributes(), facts.capacity(), List.of()));
    }
    return new SliceDevices(devices, List.copyOf(problems));
  }

  /// The same with devices of these names only.
  public SliceDevices only(Set<String> names) {
    return new SliceDevices(
        devices.stream().filter(device -> names.contains(device.name())).toList(), problems);
  }
}
