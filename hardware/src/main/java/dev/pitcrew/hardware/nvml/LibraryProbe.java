package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.ToIntFunction;

/// Compares a library with what the calls here take it to be: which of the functions it has, what
/// each reading call returns, and how much it writes. It calls nothing that changes a GPU.
///
/// Calls may hang in the driver, so they belong on a thread that may be left behind.
public final class LibraryProbe {
  /// nvmlReturn_t of a call that worked.
  public static final int SUCCESS = 0;

  /// More than any structure of NVML's that is read here.
  private static final int ROOM = 8192;

  /// Field values are numbered from 1. Driver 580.159.04 knows some up to 295.
  private static final int FIELDS = 300;

  private static final byte[] PATTERNS = {(byte) 0xA5, 0x5A};

  /// How far a structure is read of which more may be written.
  public enum Extent {
    /// Its layout is known as a whole: a library that writes more writes over other memory.
    WHOLE,
    /// Only its beginning is read, from memory that has room for all of it.
    BEGINNING
  }

  /// A function by all of its names, the newest first.
  ///
  /// @param found the name that is called; empty where the library has none of them
  public record Symbol(List<String> names, Optional<String> found) {}

  /// A call about the GPU with NVML's index `gpu`.
  ///
  /// @param argument what distinguishes it from other calls of the function; may be empty
  /// @param code nvmlReturn_t
  /// @param size bytes of the structure or number that are known here
  /// @param written bytes up to the last that the library has changed; 0 where it failed
  public record Call(
      int gpu, String function, String argument, int code, long size, long written, Extent extent) {
    /// Whether the library writes beyond what there would be room for.
    public boolean isTooLong() {
      return extent == Extent.WHOLE && written > size;
    }
  }

  /// @param gpus the product names, by NVML's index
  public record Findings(
      String driver, String library, List<String> gpus, List<Symbol> symbols, List<Call> calls) {}

  private final NvmlFunction.Table functions;
  private final MemorySegment place;
  private final List<Call> calls = new ArrayList<>();

  private LibraryProbe(NvmlFunction.Table functions, MemorySegment place) {
    this.functions = functions;
    this.place = place;
  }

  /// Opens the library, looks at it and closes it again.
  ///
  /// @param library its path, or a bare name that the dynamic linker looks up
  @SuppressWarnings("restricted")
  public static Answer<Findings> of(String library) {
    return NvmlLibrary.open(library)
        .map(nvml -> {
          try (nvml;
              var arena = Arena.ofShared()) {
            var lookup =
                library.contains("/")
                    ? SymbolLookup.libraryLookup(Path.of(library), arena)
                    : SymbolLookup.libraryLookup(library, arena);
            var gate = new CallGate(() -> {}, () -> {});
            var table = new NvmlFunction.Table(lookup, gate);
            var probe = new LibraryProbe(table, arena.allocate(ROOM, Long.BYTES));
            return probe.findings(nvml, symbols(lookup, arena));
          }
        });
  }

  private Findings findings(NvmlLibrary nvml, List<Symbol> symbols) {
    int count = nvml.driver().deviceCount().orElse(0);
    var names = new ArrayList<String>();
    for (int gpu = 0; gpu < count; gpu++) {
      var device = nvml.driver().deviceAt(gpu);
      names.add(device.flatMap(nvml.devices()::name).orElse(""));
      if (device instanceof Answer.Value<DeviceHandle>(var handle)) {
        gauges(gpu, handle);
        structures(gpu, handle);
        fields(gpu, handle);
      }
    }
    return new Findings(
        nvml.driver().driverVersion().orElse(""),
        nvml.texts().nvmlVersion().orElse(""),
        List.copyOf(names),
        symbols,
        List.copyOf(calls));
  }

  /// Every function that anything here can call, and whether it is there.
  private static List<Symbol> symbols(SymbolLookup lookup, Arena arena) {
    var made = new HashSet<List<String>>();
    var table = new NvmlFunction.Table(lookup, new CallGate(() -> {}, () -> {}), made::add);
    var _ =
        List.of(
            new DriverCalls(table),
            new DeviceCalls(table),
            new MigCalls(table),
            new InstanceCalls(table),
            new PartitionCalls(table),
            new LinkCalls(table),
            new FieldCalls(table),
            new EventCalls(table),
            new TextCalls(table),
            new ProcessReader(table),
            new GaugeCalls(table, arena),
            new ProfilingCalls(table, arena, List.of()));
    return made.stream()
        .map(names ->
            new Symbol(
                names, names.stream().filter(name -> lookup.find(name).isPresent()).findFirst()))
        .sorted((one, other) -> one.names().getFirst().compareTo(other.names().getFirst()))
        .toList();
  }

  /// Each function of a gauge once for each of its arguments and versions.
  private void gauges(int gpu, DeviceHandle device) {
    Map<String, Gauge.Reader> each = new LinkedHashMap<>();
    Map<String, Integer> sizes = new TreeMap<>();
    for (var gauge : Gauge.values()) {
      var reader = gauge.reader();
      var key = "%s %d %d".formatted(reader.function(), reader.argument(), reader.version());
      boolean isPair = reader.parameters() == Gauge.Parameters.TWO_PLACES;
      each.putIfAbsent(key, reader);
      sizes.merge(key, (isPair ? 0 : reader.offset()) + reader.bytes(), Math::max);
    }
    each.forEach((key, reader) -> gauge(gpu, device, reader, sizes.getOrDefault(key, 0)));
  }

  private void gauge(int gpu, DeviceHandle device, Gauge.Reader reader, int size) {
    var names =
        reader.older().isEmpty()
            ? new String[] {reader.function()}
            : new String[] {reader.function(), reader.older()};
    boolean isNumbered =
        reader.parameters() == Gauge.Parameters.NUMBER_AND_PLACE
            || reader.parameters() == Gauge.Parameters.NUMBER_PLACE_AND_NUMBER;
    var argument = isNumbered ? String.valueOf(reader.argument()) : version(reader.version());
    ToIntFunction<MemorySegment> call =
        switch (reader.parameters()) {
          case ONE_PLACE -> {
            var function = functions.reader(names);
            yield at -> function.call(device.pointer(), at);
          }
          case NUMBER_AND_PLACE -> {
            var function = functions.indexed(names);
            yield at -> function.call(device.pointer(), reader.argument(), at);
          }
          case TWO_PLACES -> {
            var function = functions.pair(names[0]);
            var second = place.asSlice(ROOM / 2, Long.BYTES);
            yield at -> function.call(device.pointer(), at, second);
          }
          case NUMBER_PLACE_AND_NUMBER -> {
            var function = functions.of(List.of(names), ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
            yield at -> function.call(device.pointer(), reader.argument(), at, 0);
          }
          case PLACE_ALONE -> {
            var function = functions.of(List.of(names), ADDRESS);
            yield function::call;
          }
        };
    add(gpu, reader.function(), argument, reader.version(), size, Extent.BEGINNING, call);
  }

  private void structures(int gpu, DeviceHandle device) {
    whole(gpu, "nvmlDeviceGetPciInfo_v3", Layouts.PCI_INFO, 0, device);
    whole(gpu, "nvmlDeviceGetMemoryInfo", Layouts.MEMORY, 0, device);
    whole(gpu, "nvmlDeviceGetMemoryInfo_v2", Layouts.MEMORY_V2, 2, device);
    whole(gpu, "nvmlDeviceGetGpuFabricInfo", Layouts.FABRIC_INFO, 0, device);
    whole(gpu, "nvmlDeviceGetGpuFabricInfoV", Layouts.FABRIC_INFO_V2, 2, device);
    whole(gpu, "nvmlDeviceGetAttributes_v2", Layouts.DEVICE_ATTRIBUTES, 0, device);
    var profile = functions.indexed("nvmlDeviceGetGpuInstanceProfileInfo");
    for (int constant = 0; constant < GpuInstanceProfile.CONSTANTS; constant++) {
      int number = constant;
      add(
          gpu,
          profile.name(),
          String.valueOf(number),
          0,
          Layouts.GPU_INSTANCE_PROFILE_INFO.byteSize(),
          Extent.WHOLE,
          at -> profile.call(device.pointer(), number, at));
    }
  }

  private void whole(int gpu, String name, StructLayout layout, int version, DeviceHandle device) {
    var function = functions.reader(name);
    int word = version == 0 ? 0 : Layouts.version(layout, version);
    add(
        gpu,
        name,
        version(word),
        word,
        layout.byteSize(),
        Extent.WHOLE,
        at -> function.call(device.pointer(), at));
  }

  /// One field value a call, since a library may refuse all of a call for one that it lacks.
  private void fields(int gpu, DeviceHandle device) {
    var function = functions.of(List.of("nvmlDeviceGetFieldValues"), ADDRESS, JAVA_INT, ADDRESS);
    long returned = Layouts.FIELD_VALUE.byteOffset(groupElement("nvmlReturn"));
    IntUnaryOperator ask =
        field -> {
          place.fill((byte) 0);
          place.set(JAVA_INT, 0, field);
          int code = function.call(device.pointer(), 1, place);
          return code == SUCCESS ? place.get(JAVA_INT, returned) : code;
        };
    for (int field = 1; field <= FIELDS; field++) {
      calls.add(
          new Call(
              gpu,
              function.name(),
              String.valueOf(field),
              ask.applyAsInt(field),
              Layouts.FIELD_VALUE.byteSize(),
              0,
              Extent.WHOLE));
    }
  }

  private void add(
      int gpu,
      String function,
      String argument,
      int version,
      long size,
      Extent extent,
      ToIntFunction<MemorySegment> call) {
    int code = SUCCESS;
    long written = 0;
    for (byte pattern : PATTERNS) {
      place.fill(pattern);
      if (version != 0) {
        place.set(JAVA_INT, 0, version);
      }
      code = call.applyAsInt(place);
      written = Math.max(written, code == SUCCESS ? written(pattern) : 0);
    }
    calls.add(new Call(gpu, function, argument, code, size, written, extent));
  }

  /// Up to the place of a second number, which is in the upper half.
  private long written(byte pattern) {
    byte[] bytes = place.asSlice(0, ROOM / 2).toArray(JAVA_BYTE);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == pattern) {
      end--;
    }
    return end;
  }

  private static String version(int word) {
    return word == 0 ? "" : "version 0x%08x".formatted(word);
  }
}
