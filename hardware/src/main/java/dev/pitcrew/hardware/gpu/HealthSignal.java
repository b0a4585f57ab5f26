package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.NvmlError;
import java.util.Optional;
import java.util.OptionalInt;

/// What a watch reports.
public sealed interface HealthSignal {

  /// Something happened on a GPU.
  ///
  /// @param gpuUuid of the GPU, of a MIG device its parent; empty where NVML did not report it
  /// @param data of an Xid event its number
  /// @param gpuInstance empty, as `computeInstance`, where the whole GPU is meant
  record Event(
      Optional<String> gpuUuid,
      EventType type,
      long data,
      OptionalInt gpuInstance,
      OptionalInt computeInstance)
      implements HealthSignal {}

  /// NVML stopped reporting events, of any GPU; until [Resumed] nothing is known. Sent once.
  record Interrupted(NvmlError error, String call) implements HealthSignal {}

  /// NVML reports events again.
  record Resumed() implements HealthSignal {}
}
