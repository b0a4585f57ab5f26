package dev.pitcrew.agent.node;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;

/// Distinguishes one load of the driver from the next. The kernel creates the folder of a module
/// each time that the module is loaded, and reuses no inode of sysfs before it has counted through
/// all of them.
final class DriverLoad {
  private static final String MODULE = "/sys/module/nvidia";

  private DriverLoad() {}

  /// @return empty where the kernel does not show the module
  static Optional<String> now(HostRoot host) {
    try {
      return Optional.of(Files.getAttribute(host.resolve(MODULE), "unix:ino").toString());
    } catch (IOException | UnsupportedOperationException _) {
      return Optional.empty();
    }
  }
}
