package dev.pitcrew.hardware.nvml;

import java.lang.foreign.MemorySegment;

/// NVML's name for a GPU or a MIG device (nvmlDevice_t); good until the library is closed.
public record DeviceHandle(long address) {
  MemorySegment pointer() {
    return MemorySegment.ofAddress(address);
  }
}
