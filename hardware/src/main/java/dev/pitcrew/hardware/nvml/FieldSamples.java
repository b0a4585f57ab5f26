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
final class FieldSamples {
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

  /// @return nvmlReturn_t of the call; each value has one of its own
  int call(DeviceHandle gpu) {
    return count == 0 ? 0 : function.call(gpu.pointer(), count, fields);
  }

  /// nvmlReturn_t of one value, by its place among those that were asked for.
  int returned(int field) {
    return fields.get(JAVA_INT, field * STRIDE + RETURNED);
  }

  /// A value whose [#returned] is success; not a number where its type is none that we know.
  double value(int field) {
    long at = field * STRIDE + VALUE;
    // nvmlValueType_t
    return switch (fields.get(JAVA_INT, field * STRIDE + TYPE)) {
      case 0 -> fields.get(JAVA_DOUBLE, at);
      case 1 -> fields.get(JAVA_INT, at) & WORD_MASK;
      case 2, 3, 4 -> fields.get(JAVA_LONG, at);
      case 5 -> fields.get(JAVA_INT, at);
      default -> Double.NaN;
    };
  }

  private static long offset(String field) {
    return Layouts.FIELD_VALUE.byteOffset(groupElement(field));
  }
}
