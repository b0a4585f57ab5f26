package dev.pitcrew.device.dra;

import java.util.ArrayList;
import java.util.List;

/// The pool of a node: its devices, split into as many ResourceSlices as the API server's limits
/// ask for. A node without devices has one slice without any, as with NVIDIA's DRA driver.
///
/// @param driver the name of the DRA driver
/// @param node the name of the node, and of the pool
public record ResourcePool(String driver, String node, List<Slice> slices) {
  /// The most devices in a slice of plain devices (ResourceSliceMaxDevices).
  static final int PLAIN_LIMIT = 128;

  /// The most devices in a slice of which one has taints, takes counters or is shared by claims
  /// (ResourceSliceMaxDevicesWithAdvancedFeatures).
  static final int ADVANCED_LIMIT = 64;

  /// The most sets of counters in a slice (ResourceSliceMaxCounterSets).
  static final int COUNTER_SETS_LIMIT = 8;

  private static final List<Slice> NOTHING = List.of(new Slice(List.of(), List.of()));

  public ResourcePool {
    slices = List.copyOf(slices);
  }

  /// One ResourceSlice.
  ///
  /// @param counters what devices of the pool share
  public record Slice(List<CounterSet> counters, List<SliceDevice> devices) {
    public Slice {
      counters = List.copyOf(counters);
      devices = List.copyOf(devices);
    }
  }

  /// @param separatesCounters whether a slice has counters or devices, and not both, as API servers
  ///   from 1.35 on want it; those before want the counters in the slice of their devices
  public static ResourcePool of(String node, SliceDevices devices, boolean separatesCounters) {
    return switch (devices.arrangement()) {
      case TOGETHER -> of(devices.driver(), node, devices.devices());
      case BY_GPU -> byGpu(node, new ArrayList<>(), devices);
      case COUNTERS_THEN_BY_GPU ->
          separatesCounters
              ? byGpu(node, counterSlices(devices), devices)
              : combined(node, devices);
    };
  }

  public static ResourcePool of(String driver, String node, List<SliceDevice> devices) {
    List<Slice> slices = split(devices);
    return new ResourcePool(driver, node, slices.isEmpty() ? NOTHING : slices);
  }

  private static ResourcePool byGpu(String node, List<Slice> first, SliceDevices devices) {
    var slices = new ArrayList<>(first);
    devices.gpus().forEach(gpu -> slices.addAll(split(gpu.devices())));
    return new ResourcePool(devices.driver(), node, slices.isEmpty() ? NOTHING : slices);
  }

  /// At least one, also where no GPU has counters.
  private static List<Slice> counterSlices(SliceDevices devices) {
    List<CounterSet> all = devices.gpus().stream().flatMap(gpu -> gpu.counters().stream()).toList();
    var slices = new ArrayList<Slice>();
    for (int next = 0; next < all.size(); next += COUNTER_SETS_LIMIT) {
      int end = Math.min(next + COUNTER_SETS_LIMIT, all.size());
      slices.add(new Slice(all.subList(next, end), List.of()));
    }
    return slices.isEmpty() ? NOTHING : slices;
  }

  private static ResourcePool combined(String node, SliceDevices devices) {
    List<Slice> slices =
        devices.gpus().stream()
            .map(gpu -> new Slice(gpu.counters().stream().toList(), gpu.devices()))
            .toList();
    return new ResourcePool(devices.driver(), node, slices.isEmpty() ? NOTHING : slices);
  }

  private static List<Slice> split(List<SliceDevice> devices) {
    var slices = new ArrayList<Slice>();
    int next = 0;
    while (next < devices.size()) {
      int end = end(devices, next);
      slices.add(new Slice(List.of(), devices.subList(next, end)));
      next = end;
    }
    return slices;
  }

  private static int end(List<SliceDevice> devices, int from) {
    int plain = Math.min(from + PLAIN_LIMIT, devices.size());
    boolean isPlain =
        devices.subList(from, plain).stream()
            .allMatch(device ->
                device.taints().isEmpty()
                    && device.consumes().isEmpty()
                    && device.shared().isEmpty());
    return isPlain ? plain : Math.min(from + ADVANCED_LIMIT, devices.size());
  }

  /// The beginning of a slice's name, which the API server completes.
  ///
  /// @param index of the slice
  public String generateName(int index) {
    return "%05x-%s-%s-".formatted(index, driver, node);
  }
}
