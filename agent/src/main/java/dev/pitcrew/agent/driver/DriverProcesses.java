package dev.pitcrew.agent.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Processes that have a device file of the driver open.
///
/// @param root whose `/proc` is looked at
record DriverProcesses(HostRoot root) {
  /// Also below the root of a driver container, by whoever has made that his own.
  private static final Pattern DEVICE =
      Pattern.compile("(/.*)?/dev/nvidia([^/]*|-caps[^/]*/[^/]*)");

  /// The namespace that all processes of the machine are in, whose number is part of the kernel's
  /// interface (`PID_NS_INIT_INO` in `linux/nsfs.h`). Any other may hide some.
  private static final String OF_MACHINE = "pid:[%d]".formatted(0xEFFFFFFCL);

  /// The host's own `/proc` shows what the pod's does not where that has no `hostPID`.
  static DriverProcesses of(DriverPlaces places) {
    return new DriverProcesses(places.host().exists("/proc/1") ? places.host() : places.root());
  }

  /// Whether no process of the machine is hidden. The first one tells, or, where nobody may look
  /// into that, this one.
  boolean areAll() {
    return Stream.of("1", "self")
        .map(id -> root.linkTargetName("/proc/" + id + "/ns/pid"))
        .anyMatch(Optional.of(OF_MACHINE)::equals);
  }

  /// Such as `process 4711 (python)`.
  List<String> users() {
    return root.names("/proc").stream()
        .filter(name -> name.matches("[0-9]{1,10}"))
        .filter(this::hasDeviceOpen)
        .map(id -> "process %s (%s)".formatted(id, root.text("/proc/" + id + "/comm").orElse("?")))
        .toList();
  }

  private boolean hasDeviceOpen(String id) {
    try (Stream<Path> files = Files.list(root.place("/proc/" + id + "/fd"))) {
      return files.anyMatch(DriverProcesses::isDevice);
    } catch (IOException _) {
      return false; // it has ended, or is none of ours to look into
    }
  }

  private static boolean isDevice(Path descriptor) {
    try {
      return DEVICE.matcher(Files.readSymbolicLink(descriptor).toString()).matches();
    } catch (IOException _) {
      return false;
    }
  }
}
