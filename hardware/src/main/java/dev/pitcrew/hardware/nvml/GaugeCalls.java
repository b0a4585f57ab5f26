package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Reads gauges into memory that is laid out once. For one thread at a time.
final class GaugeCalls {
  /// Where the second of two numbers is written.
  static final int SECOND_PLACE = 64;

  /// More than any structure that is read here.
  private static final int ROOM = 8192;

  private static final int FABRIC_RETURNED = 20;
  private static final int FABRIC_STATE = 28;
  private static final int FABRIC_COMPLETED = 3;
  private static final int FABRIC_FAILED = 4;
  private static final int FABRIC_UNKNOWN = 5;

  private static final long WORD_MASK = 0xFFFFFFFFL;

  private final Map<String, NvmlFunction> functions = new HashMap<>();
  private final Map<Gauge, Gauge.Reader> readers = new EnumMap<>(Gauge.class);
  private final MemorySegment place;

  /// @param arena must outlive every call, also one that hangs
  GaugeCalls(NvmlFunction.Table table, Arena arena) {
    place = arena.allocate(ROOM, Long.BYTES);
    for (Gauge gauge : Gauge.values()) {
      var reader = gauge.reader();
      readers.put(gauge, reader);
      functions.computeIfAbsent(reader.function(), _ -> function(table, reader));
    }
  }

  private static NvmlFunction function(NvmlFunction.Table table, Gauge.Reader reader) {
    String[] names =
        reader.older().isEmpty()
            ? new String[] {reader.function()}
            : new String[] {reader.function(), reader.older()};
    return switch (reader.parameters()) {
      case ONE_PLACE -> table.reader(names);
      case NUMBER_AND_PLACE -> table.indexed(names);
      case TWO_PLACES -> table.pair(names[0]);
      case NUMBER_PLACE_AND_NUMBER ->
          table.of(List.of(names), ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
      case PLACE_ALONE -> table.of(List.of(names), ADDRESS);
    };
  }

  /// Makes the call of a gauge.
  ///
  /// @return nvmlReturn_t; on success [#value] has the number
  int call(Gauge gauge, DeviceHandle device) {
    var reader = reader(gauge);
    var function = Objects.requireNonNull(functions.get(reader.function()));
    if (reader.version() != 0) {
      // A library may leave out fields that mean nothing: that of an H100 without NVLink does so
      // with the health of the fabric. What an earlier call has written there is no answer.
      place.asSlice(0, reader.size()).fill((byte) 0);
      place.set(JAVA_INT, 0, reader.version());
    }
    return switch (reader.parameters()) {
      case ONE_PLACE -> function.call(device.pointer(), place);
      case NUMBER_AND_PLACE -> function.call(device.pointer(), reader.argument(), place);
      case TWO_PLACES ->
          function.call(device.pointer(), place, place.asSlice(SECOND_PLACE, Integer.BYTES));
      case NUMBER_PLACE_AND_NUMBER -> function.call(device.pointer(), reader.argument(), place, 0);
      case PLACE_ALONE -> function.call(place);
    };
  }

  /// What the last call, which succeeded, has written for the gauge.
  double value(Gauge gauge) {
    var reader = reader(gauge);
    return switch (gauge) {
      case MEMORY_USED_RATIO -> usedRatio();
      case LICENCE_STATUS -> place.get(JAVA_INT, Integer.BYTES) == 0 ? 0 : number(reader);
      case TEMPERATURE_MARGIN -> place.get(JAVA_INT, reader.offset());
      case COMPUTE_CAPABILITY -> (place.get(JAVA_INT, 0) << 16) | place.get(JAVA_INT, SECOND_PLACE);
      case FABRIC_STATUS -> fabricStatus();
      case FABRIC_ERROR -> fabricError();
      default -> number(reader);
    };
  }

  /// Whether both are read by the same call, so that it need not be made twice.
  static boolean isSameCall(Gauge one, Gauge other) {
    return one.reader().function().equals(other.reader().function())
        && one.reader().argument() == other.reader().argument()
        && one.reader().version() == other.reader().version();
  }

  private Gauge.Reader reader(Gauge gauge) {
    return Objects.requireNonNull(readers.get(gauge));
  }

  private double number(Gauge.Reader reader) {
    return switch (reader.bytes()) {
      case Long.BYTES -> place.get(JAVA_LONG, reader.offset());
      case Byte.BYTES -> Byte.toUnsignedInt(place.get(JAVA_BYTE, reader.offset()));
      default -> place.get(JAVA_INT, reader.offset()) & WORD_MASK;
    };
  }

  /// The state is a byte; the status, an nvmlReturn_t, stands before it.
  private double fabricStatus() {
    int state = place.get(JAVA_BYTE, FABRIC_STATE);
    if (state == FABRIC_COMPLETED) {
      return place.get(JAVA_INT, FABRIC_RETURNED) == 0 ? FABRIC_COMPLETED : FABRIC_FAILED;
    }
    return state >= 0 && state < FABRIC_COMPLETED ? state : FABRIC_UNKNOWN;
  }

  private double fabricError() {
    return place.get(JAVA_BYTE, FABRIC_STATE) == FABRIC_COMPLETED
        ? dcgmReturn(place.get(JAVA_INT, FABRIC_RETURNED))
        : Double.NaN;
  }

  /// dcgmReturn_t of DCGM's header, in whose numbers the fabric's error is reported.
  private static int dcgmReturn(int nvmlReturn) {
    if (nvmlReturn == 0) {
      return 0;
    }
    return switch (NvmlError.of(nvmlReturn)) {
      case INVALID_ARGUMENT -> -1;
      case NOT_SUPPORTED -> -6;
      case TIMEOUT -> -11;
      case NOT_FOUND -> -14;
      case NO_PERMISSION -> -17;
      case GPU_IS_LOST -> -18;
      case RESET_REQUIRED -> -19;
      default -> -8;
    };
  }

  private double usedRatio() {
    double usable = number(reader(Gauge.MEMORY_TOTAL)) - number(reader(Gauge.MEMORY_RESERVED));
    return usable > 0 ? number(reader(Gauge.MEMORY_USED)) / usable : Double.NaN;
  }
}
