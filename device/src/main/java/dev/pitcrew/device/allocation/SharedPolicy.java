package dev.pitcrew.device.allocation;

import java.util.Comparator;

/// Onto which GPUs the replicas of shared devices go (`sharedDevicesAllocationPolicy`).
public enum SharedPolicy {
  /// Onto the least used ones first.
  DISTRIBUTED("distributed", Comparator.naturalOrder()),
  /// Onto the most used ones first, so that others stay free.
  PACKED("packed", Comparator.reverseOrder());

  private final String value;
  private final Comparator<Integer> byAllocated;

  SharedPolicy(String value, Comparator<Integer> byAllocated) {
    this.value = value;
    this.byAllocated = byAllocated;
  }

  /// As the configuration says it.
  public String value() {
    return value;
  }

  Comparator<Integer> byAllocated() {
    return byAllocated;
  }
}
