package dev.pitcrew.hardware.gpu;

import java.util.Arrays;

/// The events that are watched (nvmlEventType).
public enum EventType {
  SINGLE_BIT_ECC(0x1),
  DOUBLE_BIT_ECC(0x2),
  XID(0x8),
  MIG_CHANGED(0x100),
  /// One that was not asked for.
  OTHER(0);

  private final long bit;

  EventType(long bit) {
    this.bit = bit;
  }

  static EventType of(long bits) {
    return Arrays.stream(values()).filter(type -> (type.bit & bits) != 0).findFirst().orElse(OTHER);
  }

  /// All of them, as NVML wants them.
  static long mask() {
    return Arrays.stream(values())
        .mapToLong(type -> type.bit)
        .reduce(0, (one, other) -> one | other);
  }
}
