package dev.pitcrew.device.dra;

import java.util.ArrayList;
import java.util.List;

/// The pool of a node: its devices, split into as many ResourceSlices as the API server's limits
/// ask for. A node without devices has one slice without any, as with NVIDIA's DRA driver.
///
/// @param node the name of the node, and of the pool
public record ResourcePool(String node, List<List<SliceDevice>> slices) {
  /// The most devices in a slice of plain devices (ResourceSliceMaxDevices).
  static final int PLAIN_LIMIT = 128;

  /// The most devices in a slice of which one has taints
  /// (ResourceSliceMaxDevicesWithAdvancedFeatures).
  static final int TAINTED_LIMIT = 64;

  public ResourcePool {
    slices = slices.stream().map(List::copyOf).toList();
  }

  public static ResourcePool of(String node, List<SliceDevice> devices) {
    var slices = new ArrayList<List<SliceDevice>>();
    int next = 0;
    while (next < devices.size()) {
      int end = end(devices, next);
      slices.add(devices.subList(next, end));
      next = end;
    }
    return new ResourcePool(node, slices.isEmpty() ? List.of(List.of()) : slices);
  }

  private static int end(List<SliceDevice> devices, int from) {
    int plain = Math.min(from + PLAIN_LIMIT, devices.size());
    boolean isPlain =
        devices.subList(from, plain).stream().allMatch(device -> device.taints().isEmpty());
    return isPlain ? plain : Math.min(from + TAINTED_LIMIT, devices.size());
  }

  /// The beginning of a slice's name, which the API server completes.
  ///
  /// @param index of the slice
  public String generateName(int index) {
    return "%05x-%s-%s-".formatted(index, ClaimDevice.DRIVER, node);
  }
}
