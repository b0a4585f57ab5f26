package dev.pitcrew.agent.driver;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Processes that have a device file of the driver open. Those of the whole node are seen where the
/// pod has `hostPID`.
record DriverProcesses(HostRoot root) {
  private static final String DEVICES = "/dev/nvidia";

  /// Such as `process 4711 (python)`.
  List<String> all() {
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
      return Files.readSymbolicLink(descriptor).toString().startsWith(DEVICES);
    } catch (IOException _) {
      return false;
    }
  }
}
