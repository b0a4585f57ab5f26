package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import java.util.List;

/// The devices that a selector of the sharing configuration means.
///
/// @param unmatched what of the selector meant none, in words
record Selection(List<Device> devices, List<String> unmatched) {

  static Selection of(List<Device> devices, DeviceSelection selector) {
    if (devices.isEmpty()) {
      return new Selection(List.of(), List.of("the node has no such device to share"));
    }
    return switch (selector) {
      case DeviceSelection.All() -> new Selection(devices, List.of());
      case DeviceSelection.First(int count) -> first(devices, count);
      case DeviceSelection.Listed(var references) -> listed(devices, references);
    };
  }

  private static Selection first(List<Device> devices, int count) {
    List<String> unmatched =
        count > 0 && count <= devices.size()
            ? List.of()
            : List.of(count + " devices are to be shared; the node has " + devices.size());
    return new Selection(devices.stream().limit(Math.max(count, 0)).toList(), unmatched);
  }

  private static Selection listed(List<Device> devices, List<String> references) {
    return new Selection(
        devices.stream()
            .filter(device -> references.stream().anyMatch(it -> means(it, device)))
            .toList(),
        references.stream()
            .filter(reference -> devices.stream().noneMatch(it -> means(reference, it)))
            .map(reference -> "no device " + reference + " to share")
            .toList());
  }

  private static boolean means(String reference, Device device) {
    return reference.equals(device.physical().uuid())
        || reference.equals(device.physical().index());
  }
}
