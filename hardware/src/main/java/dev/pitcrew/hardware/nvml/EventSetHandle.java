package dev.pitcrew.hardware.nvml;

import java.lang.foreign.MemorySegment;

/// A set of events to wait for (nvmlEventSet_t).
public record EventSetHandle(long address) {
  MemorySegment pointer() {
    return MemorySegment.ofAddress(address);
  }
}
