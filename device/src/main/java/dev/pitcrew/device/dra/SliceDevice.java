package dev.pitcrew.device.dra;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// A device as a ResourceSlice lists it (Device of resource.k8s.io/v1).
///
/// @param name unique in the pool
/// @param attributes by name; a name without `/` belongs to the domain of the driver
/// @param capacity by name, likewise
/// @param shared the capacities of which several claims can take a part at the same time, by name:
///   in place of those of the same name; empty for a device of one claim
/// @param consumes what it takes of sets of counters while it is allocated
public record SliceDevice(
    String name,
    SortedMap<String, Attribute> attributes,
    SortedMap<String, Quantity> capacity,
    Optional<SortedMap<String, SharedCapacity>> shared,
    List<CounterSet> consumes,
    List<DeviceTaint> taints) {
  public SliceDevice {
    attributes = Collections.unmodifiableSortedMap(new TreeMap<>(attributes));
    capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
    shared = shared.map(it -> Collections.unmodifiableSortedMap(new TreeMap<>(it)));
    consumes = List.copyOf(consumes);
    taints = List.copyOf(taints);
  }

  /// One of one claim.
  public SliceDevice(
      String name,
      SortedMap<String, Attribute> attributes,
      SortedMap<String, Quantity> capacity,
      List<CounterSet> consumes,
      List<DeviceTaint> taints) {
    this(name, attributes, capacity, Optional.empty(), consumes, taints);
  }

  /// One of one claim that takes no counters.
  public SliceDevice(
      String name,
      SortedMap<String, Attribute> attributes,
      SortedMap<String, Quantity> capacity,
      List<DeviceTaint> taints) {
    this(name, attributes, capacity, List.of(), taints);
  }

  public SliceDevice withTaints(List<DeviceTaint> changed) {
    return new SliceDevice(name, attributes, capacity, shared, consumes, changed);
  }

  SliceDevice withoutShares() {
    return new SliceDevice(name, attributes, capacity, Optional.empty(), consumes, taints);
  }
}
