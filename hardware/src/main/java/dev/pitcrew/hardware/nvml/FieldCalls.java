package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Readings by number (nvmlDeviceGetFieldValues), many in one call, and why the clocks are held
/// down.
public final class FieldCalls {
  // NVML_FI_DEV_*
  public static final int ECC_DBE_VOL_TOTAL = 4;
  public static final int RETIRED_PENDING = 31;
  public static final int REMAPPED_PENDING = 144;
  public static final int REMAPPED_FAILURE = 145;
  public static final int GET_GPU_RECOVERY_ACTION = 230;

  // nvmlValueType_t
  private static final int UNSIGNED_INT = 1;
  private static final int UNSIGNED_LONG = 2;
  private static final int UNSIGNED_LONG_LONG = 3;
  private static final int SIGNED_LONG_LONG = 4;
  private static final int SIGNED_INT = 5;

  private static final long RETURNED = Layouts.offset(Layouts.FIELD_VALUE, "nvmlReturn");
  private static final long TYPE = Layouts.offset(Layouts.FIELD_VALUE, "valueType");
  private static final long VALUE = Layouts.offset(Layouts.FIELD_VALUE, "value");

  private final NvmlFunction fieldValues;
  private final NvmlFunction clockEventReasons;

  FieldCalls(NvmlFunction.Table functions) {
    fieldValues = functions.of(List.of("nvmlDeviceGetFieldValues"), ADDRESS, JAVA_INT, ADDRESS);
    clockEventReasons =
        functions.reader(
            "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  /// Whole numbers by their fields; one that the GPU does not have is left out, and one that cannot
  /// be read fails all.
  public Answer<Map<Integer, Long>> values(DeviceHandle gpu, List<Integer> fields) {
    try (var arena = Arena.ofConfined()) {
      var array = arena.allocate(Layouts.FIELD_VALUE, fields.size());
      for (int i = 0; i < fields.size(); i++) {
        at(array, i).set(JAVA_INT, 0, fields.get(i));
      }
      int code = fieldValues.call(gpu.pointer(), fields.size(), array);
      return fieldValues.answer(code, () -> code).flatMap(_ -> values(array, fields));
    }
  }

  /// The bits of nvmlClocksEventReasons.
  public Answer<Long> clockEventReasons(DeviceHandle gpu) {
    try (var arena = Arena.ofConfined()) {
      var reasons = arena.allocate(JAVA_LONG);
      int code = clockEventReasons.call(gpu.pointer(), reasons);
      return clockEventReasons.answer(code, () -> reasons.get(JAVA_LONG, 0));
    }
  }

  private Answer<Map<Integer, Long>> values(MemorySegment array, List<Integer> fields) {
    Map<Integer, Long> values = new HashMap<>();
    for (int i = 0; i < fields.size(); i++) {
      MemorySegment field = at(array, i);
      int code = field.get(JAVA_INT, RETURNED);
      switch (fieldValues.answer(code, () -> value(field))) {
        case Answer.Value<Long>(var value) -> values.put(fields.get(i), value);
        case Answer.NotSupported<Long> _ -> {}
        // A driver that is older than the field.
        case Answer.Failed<Long>(var error, _) when error == NvmlError.INVALID_ARGUMENT -> {}
        case Answer.Failed<Long>(var error, var call) -> {
          return Answer.failed(error, call);
        }
      }
    }
    return Answer.of(Map.copyOf(values));
  }

  private static long value(MemorySegment field) {
    long bits = field.get(JAVA_LONG, VALUE);
    return switch (field.get(JAVA_INT, TYPE)) {
      case UNSIGNED_INT -> Integer.toUnsignedLong((int) bits);
      case SIGNED_INT -> (int) bits;
      case UNSIGNED_LONG, UNSIGNED_LONG_LONG, SIGNED_LONG_LONG -> bits;
      default -> 0;
    };
  }

  private static MemorySegment at(MemorySegment array, int index) {
    long size = Layouts.FIELD_VALUE.byteSize();
    return array.asSlice(index * size, size);
  }
}
