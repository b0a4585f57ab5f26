package dev.pitcrew.device.dra;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// A device as a ResourceSlice lists it (Device of resource.k8s.io/v1).
///
/// @param name unique in the pool
/// @param attributes by name; a name without `/` belongs to the domain of the driver
/// @param capacity by name, likewise
/// @param consumes what it takes of sets of counters while it is allocated
public record SliceDevice(
    String name,
    SortedMap<String, Attribute> attributes,
    SortedMap<String, Quantity> capacity,
    List<CounterSet> consumes,
    List<DeviceTaint> taints) {
  public SliceDevice {
    attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
    capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
    consumes = List.copyOf(consumes);
    taints = List.copyOf(taints);
  }

  /// One that takes no counters.
  public SliceDevice(
      String name,
      SortedMap<String, Attribute> attributes,
      SortedMap<String, Quantity> capacity,
      List<DeviceTaint> taints) {
    this(name, attributes, capacity, List.of(), taints);
  }

  public SliceDevice withTaints(List<DeviceTaint> changed) {
    return new SliceDevice(name, attributes, capacity, consumes, changed);
  }
}
