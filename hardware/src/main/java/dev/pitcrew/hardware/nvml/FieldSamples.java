package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/// Asks for the same field values again and again, all in one call. For one thread at a time.
final class FieldSamples implements Batch {
  private static final long WORD_MASK = 0xFFFFFFFFL;
  private static final long STRIDE = Layouts.FIELD_VALUE.byteSize();
  private static final long SCOPE = offset("scopeId");
  private static final long TYPE = offset("valueType");
  private static final long RETURNED = offset("nvmlReturn");
  private static final long VALUE = offset("value");

  private final NvmlFunction function;
  private final MemorySegment fields;
  private final int count;

  /// @param arena must outlive every call, also one that hangs
  FieldSamples(NvmlFunction.Table table, Arena arena, List<Source.FieldValue> wanted) {
    function = table.of(List.of("nvmlDeviceGetFieldValues"), ADDRESS, JAVA_INT, ADDRESS);
    count = wanted.size();
    fields = arena.allocate(Layouts.FIELD_VALUE, Math.max(1, count));
    for (int i = 0; i < count; i++) {
      fields.set(JAVA_INT, i * STRIDE, wanted.get(i).id());
      fields.set(JAVA_INT, i * STRIDE + SCOPE, wanted.get(i).scope());
    }
  }

  @Override
  public int call(DeviceHandle gpu) {
    return count == 0 ? 0 : function.call(gpu.pointer(), count, fields);
  }

  @Override
  public int returned(int field) {
    return fields.get(JAVA_INT, field * STRIDE + RETURNED);
  }

  @Override
  public double value(int field) {
    long at = field * STRIDE;
    return decoded(fields.get(JAVA_INT, at + TYPE), fields, at + VALUE);
  }

  /// A number of nvmlValue_t.
  ///
  /// @param type nvmlValueType_t
  static double decoded(int type, MemorySegment from, long at) {
    return switch (type) {
      case 0 -> from.get(JAVA_DOUBLE, at);
      case 1 -> from.get(JAVA_INT, at) & WORD_MASK;
      case 2, 3, 4 -> from.get(JAVA_LONG, at);
      case 5 -> from.get(JAVA_INT, at);
      default -> Double.NaN;
    };
  }

  private static long offset(String field) {
    return Layouts.FIELD_VALUE.byteOffset(groupElement(field));
  }
}
