package dev.pitcrew.device.inventory;

import java.util.Map;

/// How close the GPUs of a node are to each other.
///
/// @param links of pairs of GPUs by UUID; both directions are there
public record Topology(Map<Pair, Link> links) {
  public static final Topology UNKNOWN = new Topology(Map.of());

  public Topology {
    links = Map.copyOf(links);
  }

  /// Two GPUs, by UUID.
  public record Pair(String from, String to) {}

  /// @param nvLinks how many active NVLinks lead straight from one to the other
  public record Link(CommonAncestor ancestor, int nvLinks) {}

  /// How far up the PCI tree two GPUs meet (nvmlGpuTopologyLevel_t); the nearest first.
  public enum CommonAncestor {
    INTERNAL,
    SINGLE,
    MULTIPLE,
    HOST_BRIDGE,
    NUMA_NODE,
    SYSTEM
  }

  /// What is known of a pair; the farthest where nothing is.
  public Link between(String from, String to) {
    return links.getOrDefault(new Pair(from, to), new Link(CommonAncestor.SYSTEM, 0));
  }
}
