package dev.pitcrew.hardware.gpu;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.nvml.DeviceHandle;

/// What is at an NVML index.
sealed interface GpuAt {

  /// A card that only drives a display: it is never offered.
  record DisplayOnly() implements GpuAt {}

  record Compute(Gpu gpu, DeviceHandle handle) implements GpuAt {}
}
