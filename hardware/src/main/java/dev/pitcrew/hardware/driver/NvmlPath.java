package dev.pitcrew.hardware.driver;

import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Files;
import java.nio.file.Path;

/// Where libnvidia-ml lies: where containers are given the driver's libraries from
/// ([LibrarySearch]), so that a driver that they get is one that answers here.
public final class NvmlPath {
  private static final String NAME = "libnvidia-ml.so.1";

  private NvmlPath() {}

  /// The library below a driver root; its bare name, which the dynamic linker looks up, where the
  /// root is that of the process itself or holds none.
  public static String in(HostRoot driverRoot) {
    if (driverRoot.isOwnRoot()) {
      return NAME;
    }
    var root = new RootFolder(driverRoot);
    return LibrarySearch.in(driverRoot).find(NAME).stream()
        .map(root::at)
        .filter(Files::isRegularFile)
        .map(Path::toString)
        .findFirst()
        .orElse(NAME);
  }
}
