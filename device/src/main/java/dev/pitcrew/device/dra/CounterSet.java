package dev.pitcrew.device.dra;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// Amounts that devices of a pool share, or that one of them takes of such a set when it is
/// allocated (CounterSet and DeviceCounterConsumption of resource.k8s.io/v1, KEP-4815).
///
/// @param name of the set, unique in the pool
/// @param counters by name
public record CounterSet(String name, SortedMap<String, Quantity> counters) {
  public CounterSet {
    counters = Collections.unmodifiableSortedMap(new TreeMap<>(counters));
  }
}
