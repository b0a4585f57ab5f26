package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.host.OpenFiles;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Processes that have a device file of the driver open.
record DriverProcesses(OpenFiles files) {
  /// Also below the root of a driver container, by whoever has made that his own.
  private static final Pattern DEVICE =
      Pattern.compile("(/.*)?/dev/nvidia([^/]*|-caps[^/]*/[^/]*)");

  /// The namespace that all processes of the machine are in, whose number is part of the kernel's
  /// interface (`PID_NS_INIT_INO` in `linux/nsfs.h`). Any other may hide some.
  private static final String OF_MACHINE = "pid:[%d]".formatted(0xEFFFFFFCL);

  static DriverProcesses of(DriverPlaces places) {
    return new DriverProcesses(OpenFiles.of(places.root(), places.host()));
  }

  /// Whether no process of the machine is hidden. The first one tells, or, where nobody may look
  /// into that, this one.
  boolean areAll() {
    return Stream.of("1", "self")
        .map(id -> files.root().linkTargetName("/proc/" + id + "/ns/pid"))
        .anyMatch(Optional.of(OF_MACHINE)::equals);
  }

  /// Such as `process 4711 (python)`.
  List<String> users() {
    return files.matching(DEVICE.asMatchPredicate()).stream()
        .map(OpenFiles.Opened::process)
        .distinct()
        .toList();
  }
}
