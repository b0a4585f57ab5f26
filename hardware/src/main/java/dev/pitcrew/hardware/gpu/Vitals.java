package dev.pitcrew.hardware.gpu;

import java.util.Map;

/// How a GPU is at one moment.
///
/// @param values those that the GPU has
public record Vitals(String uuid, Map<Vital, Long> values) {
  public Vitals {
    values = Map.copyOf(values);
  }

  public boolean has(Vital vital) {
    return values.containsKey(vital);
  }

  /// Zero where the GPU has no such reading.
  public long of(Vital vital) {
    return values.getOrDefault(vital, 0L);
  }
}
