package dev.pitcrew.testbed.gpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The major numbers of the driver's character devices. The kernel gives the driver one fixed
/// number and others that are free when it is loaded; a simulated one must not be that of another
/// driver of this machine, whose device a container would be given.
///
/// @param gpus the number that Linux keeps for NVIDIA
/// @param uvm of unified memory
/// @param capabilities of the files that stand for MIG instances
record DeviceNumbers(int gpus, int uvm, int capabilities) {
  private static final Path DEVICES = Path.of("/proc/devices");
  private static final Pattern LINE = Pattern.compile(" *(?<major>\\d+) +(?<driver>\\S+)");
  private static final int OF_NVIDIA = 195;
  private static final int USUAL_UVM = 510;
  private static final int USUAL_CAPABILITIES = 237;
  // Documentation/admin-guide/devices.txt: the majors for drivers that ask for any, downwards.
  private static final int LOWEST_UVM = 384;
  private static final int LOWEST_CAPABILITIES = 234;

  /// Numbers that no other driver of this machine has.
  static DeviceNumbers ofThisMachine() {
    try {
      return Files.exists(DEVICES) ? free(Files.readString(DEVICES)) : free("");
    } catch (IOException e) {
      throw new UncheckedIOException("read " + DEVICES, e);
    }
  }

  /// @param devices what `/proc/devices` says
  static DeviceNumbers free(String devices) {
    var taken =
        devices
            .lines()
            .takeWhile(line -> !line.startsWith("Block"))
            .map(LINE::matcher)
            .filter(line -> line.matches() && !line.group("driver").startsWith("nvidia"))
            .map(line -> Integer.valueOf(line.group("major")))
            .collect(Collectors.toSet());
    return new DeviceNumbers(
        OF_NVIDIA,
        downFrom(USUAL_UVM, LOWEST_UVM, taken),
        downFrom(USUAL_CAPABILITIES, LOWEST_CAPABILITIES, taken));
  }

  private static int downFrom(int usual, int lowest, Set<Integer> taken) {
    return IntStream.iterate(usual, major -> major >= lowest, major -> major - 1)
        .filter(major -> !taken.contains(major))
        .findFirst()
        .orElse(usual);
  }
}
