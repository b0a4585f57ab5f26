package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;

/// Reads counters of the ports of NVLinks again and again, all in one call. For one thread at a
/// time. Boards from Blackwell on have them, where the library has the function.
final class PortCounters implements Batch {
  private static final StructLayout COUNTER = Layouts.PRM_COUNTER;
  private static final long STRIDE = COUNTER.byteSize();
  private static final long PORT = Layouts.offset(COUNTER, "inData");
  private static final long RESULT = Layouts.offset(COUNTER, "counterValue");
  private static final long TYPE = RESULT + Integer.BYTES;
  private static final long VALUE = RESULT + Long.BYTES;

  private final NvmlFunction function;
  private final MemorySegment request;
  private final MemorySegment counters;
  private final int count;

  /// @param arena must outlive every call, also one that hangs
  PortCounters(NvmlFunction.Table table, Arena arena, List<Source.PortCounter> wanted) {
    function = table.reader("nvmlDeviceReadPRMCounters_v1");
    count = wanted.size();
    counters = arena.allocate(STRIDE * Math.max(1, count), Long.BYTES);
    for (int i = 0; i < count; i++) {
      counters.set(JAVA_INT, i * STRIDE, wanted.get(i).id());
      counters.set(JAVA_INT, i * STRIDE + PORT, wanted.get(i).port());
    }
    request = arena.allocate(Layouts.PRM_COUNTER_LIST);
    request.set(JAVA_INT, 0, count);
    request.set(ADDRESS, Layouts.offset(Layouts.PRM_COUNTER_LIST, "counters"), counters);
  }

  @Override
  public int call(DeviceHandle gpu) {
    return count == 0 ? 0 : function.call(gpu.pointer(), request);
  }

  @Override
  public int returned(int number) {
    return counters.get(JAVA_INT, number * STRIDE + RESULT);
  }

  @Override
  public double value(int number) {
    long at = number * STRIDE;
    return FieldSamples.decoded(counters.get(JAVA_INT, at + TYPE), counters, at + VALUE);
  }
}
