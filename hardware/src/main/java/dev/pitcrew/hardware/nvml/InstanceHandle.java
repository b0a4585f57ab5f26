package dev.pitcrew.hardware.nvml;

import java.lang.foreign.MemorySegment;

/// NVML's name for a GPU instance or a compute instance (nvmlGpuInstance_t, nvmlComputeInstance_t).
public record InstanceHandle(long address) {
  MemorySegment pointer() {
    return MemorySegment.ofAddress(address);
  }
}
