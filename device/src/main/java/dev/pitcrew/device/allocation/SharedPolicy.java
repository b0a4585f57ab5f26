package dev.pitcrew.device.allocation;

import java.util.Comparator;

/// Onto which GPUs the replicas of shared devices go (`sharedDevicesAllocationPolicy`).
public enum SharedPolicy {
  /// Onto the least used ones first.
  DISTRIBUTED("distributed"),
  /// Onto the most used ones first, so that others stay free.
  PACKED("packed");

  private final String value;

  SharedPolicy(String value) {
    this.value = value;
  }

  /// As the configuration says it.
  public String value() {
    return value;
  }

  /// Orders numbers of allocated replicas, the number to prefer first.
  Comparator<Integer> byAllocated() {
    return switch (this) {
      case DISTRIBUTED -> Comparator.naturalOrder();
      case PACKED -> Comparator.reverseOrder();
    };
  }
}
