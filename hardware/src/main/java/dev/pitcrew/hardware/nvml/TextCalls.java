package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// What NVML reports about boards as text: versions of their firmware, serial numbers.
public final class TextCalls {
  private static final int LENGTH = 96;
  private static final int PLATFORM_VERSION = 2;

  private final NvmlFunction library;
  private final NvmlFunction serial;
  private final NvmlFunction vbios;
  private final NvmlFunction image;
  private final NvmlFunction part;
  private final NvmlFunction platform;

  /// A part of the infoROM that has a version of its own (nvmlInforomObject_t).
  public enum InforomPart {
    OEM(0),
    ECC(1),
    POWER(2);

    private final int number;

    InforomPart(int number) {
      this.number = number;
    }
  }

  TextCalls(NvmlFunction.Table functions) {
    library = functions.of(List.of("nvmlSystemGetNVMLVersion"), ADDRESS, JAVA_INT);
    serial = functions.textReader("nvmlDeviceGetSerial");
    vbios = functions.textReader("nvmlDeviceGetVbiosVersion");
    image = functions.textReader("nvmlDeviceGetInforomImageVersion");
    part =
        functions.of(List.of("nvmlDeviceGetInforomVersion"), ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
    platform = functions.reader("nvmlDeviceGetPlatformInfo");
  }

  public Answer<String> nvmlVersion() {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(LENGTH);
      int code = library.call(text, LENGTH);
      return library.plausible(code, () -> Texts.name(text));
    }
  }

  public Answer<String> serial(DeviceHandle gpu) {
    return text(serial, gpu);
  }

  public Answer<String> vbiosVersion(DeviceHandle gpu) {
    return text(vbios, gpu);
  }

  public Answer<String> inforomImage(DeviceHandle gpu) {
    return text(image, gpu);
  }

  public Answer<String> inforom(DeviceHandle gpu, InforomPart wanted) {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(LENGTH);
      int code = part.call(gpu.pointer(), wanted.number, text, LENGTH);
      return part.plausible(code, () -> Texts.name(text));
    }
  }

  /// Such as `0x0102030405060708`.
  public Answer<String> infinibandGuid(DeviceHandle gpu) {
    return platform(
        gpu,
        info -> {
          var guid = Layouts.bytes(info, Layouts.PLATFORM_INFO_V2, "ibGuid");
          return Optional.of("0x%016x".formatted(guid.get(JAVA_LONG_UNALIGNED, 0)));
        });
  }

  /// Of the chassis; a board that does not know it has no letters there, or no characters at all.
  public Answer<String> chassisSerial(DeviceHandle gpu) {
    return platform(
        gpu,
        info ->
            Texts.name(Layouts.bytes(info, Layouts.PLATFORM_INFO_V2, "chassisSerialNumber"))
                .filter(text -> text.chars().allMatch(it -> it > ' ' && it <= '~')));
  }

  private Answer<String> platform(
      DeviceHandle gpu, Function<MemorySegment, Optional<String>> wanted) {
    var layout = Layouts.PLATFORM_INFO_V2;
    try (var arena = Arena.ofConfined()) {
      var info = arena.allocate(layout);
      info.set(JAVA_INT, 0, Layouts.version(layout, PLATFORM_VERSION));
      int code = platform.call(gpu.pointer(), info);
      return platform.plausible(code, () -> wanted.apply(info));
    }
  }

  private static Answer<String> text(NvmlFunction function, DeviceHandle gpu) {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(LENGTH);
      int code = function.call(gpu.pointer(), text, LENGTH);
      return function.plausible(code, () -> Texts.name(text));
    }
  }
}
