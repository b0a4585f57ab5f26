package dev.pitcrew.hardware.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.util.List;

/// What NVML tells of boards in words: versions of their firmware, serial numbers.
public final class TextCalls {
  private static final int LENGTH = 96;

  /// nvmlBrandType_t in the words of NVIDIA's tools.
  private static final List<String> BRANDS =
      List.of(
          "Unknown",
          "Quadro",
          "Tesla",
          "NVS",
          "GRID",
          "GeForce",
          "Titan",
          "NVIDIA vApps",
          "NVIDIA Virtual PC",
          "NVIDIA Virtual Compute Server",
          "NVIDIA RTX Virtual Workstation",
          "NVIDIA Cloud Gaming",
          "Quadro RTX",
          "NVIDIA RTX",
          "NVIDIA",
          "GeForce RTX",
          "Titan RTX");

  private final NvmlFunction library;
  private final NvmlFunction brand;
  private final NvmlFunction serial;
  private final NvmlFunction vbios;
  private final NvmlFunction image;
  private final NvmlFunction part;

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
    brand = functions.reader("nvmlDeviceGetBrand");
    serial = functions.textReader("nvmlDeviceGetSerial");
    vbios = functions.textReader("nvmlDeviceGetVbiosVersion");
    image = functions.textReader("nvmlDeviceGetInforomImageVersion");
    part =
        functions.of(List.of("nvmlDeviceGetInforomVersion"), ADDRESS, JAVA_INT, ADDRESS, JAVA_INT);
  }

  public Answer<String> nvmlVersion() {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(LENGTH);
      int code = library.call(text, LENGTH);
      return library.plausible(code, () -> Texts.name(text));
    }
  }

  public Answer<String> brand(DeviceHandle gpu) {
    try (var arena = Arena.ofConfined()) {
      var number = arena.allocate(JAVA_INT);
      int code = brand.call(gpu.pointer(), number);
      return brand.answer(code, () -> brand(number.get(JAVA_INT, 0)));
    }
  }

  private static String brand(int number) {
    return BRANDS.get(number >= 0 && number < BRANDS.size() ? number : 0);
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

  private static Answer<String> text(NvmlFunction function, DeviceHandle gpu) {
    try (var arena = Arena.ofConfined()) {
      var text = arena.allocate(LENGTH);
      int code = function.call(gpu.pointer(), text, LENGTH);
      return function.plausible(code, () -> Texts.name(text));
    }
  }
}
