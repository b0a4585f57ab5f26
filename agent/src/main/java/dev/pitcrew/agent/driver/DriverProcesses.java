package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.host.OpenFiles;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Processes that have a device file of the driver open.
///
/// @param root whose `/sys` shows which displays are NVIDIA's
record DriverProcesses(OpenFiles files, HostRoot root) {
  /// Also below the root of a driver container, for a process that has changed its root to it.
  private static final Pattern DEVICE =
      Pattern.compile("(/.*)?/dev/(gdrdrv[^/]*|nvidia([^/]*|-caps[^/]*/[^/]*))");

  /// Of `nvidia_drm`, or of another vendor's driver.
  private static final Pattern DISPLAY =
      Pattern.compile("(?:/.*)?/dev/dri/((?:card|renderD)[0-9]+)(?: \\(deleted\\))?");

  private static final String NVIDIA = "0x%04x".formatted(PciDevice.NVIDIA);

  /// The namespace that all processes of the machine are in, whose number is part of the kernel's
  /// interface (`PID_NS_INIT_INO` in `linux/nsfs.h`). Any other may hide some.
  private static final String OF_MACHINE = "pid:[%d]".formatted(0xEFFFFFFCL);

  static DriverProcesses of(DriverPlaces places) {
    return new DriverProcesses(OpenFiles.of(places.root(), places.host()), places.root());
  }

  /// Whether no process of the machine is hidden. Process 1 shows that, or, where it may not be
  /// read, this one.
  boolean areAll() {
    return Stream.of("1", "self")
        .map(id -> files.root().linkTargetName("/proc/" + id + "/ns/pid"))
        .anyMatch(Optional.of(OF_MACHINE)::equals);
  }

  /// Such as `process 4711 (python)`.
  List<String> users() {
    return files.matching(file -> DEVICE.matcher(file).matches() || isDisplay(file)).stream()
        .map(OpenFiles.Opened::process)
        .distinct()
        .toList();
  }

  private boolean isDisplay(String file) {
    Matcher display = DISPLAY.matcher(file);
    return display.matches()
        && root.text("/sys/class/drm/" + display.group(1) + "/device/vendor")
            .filter(NVIDIA::equals)
            .isPresent();
  }
}
