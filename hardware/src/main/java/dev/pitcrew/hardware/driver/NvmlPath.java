package dev.pitcrew.hardware.nvml;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// Where libnvidia-ml lies (device plugin specification, NVML library path).
public final class NvmlPath {
  private static final String NAME = "libnvidia-ml.so.1";
  private static final List<String> FOLDERS =
      List.of(
          "/usr/lib64",
          "/usr/lib/x86_64-linux-gnu",
          "/usr/lib/aarch64-linux-gnu",
          "/lib64",
          "/lib/x86_64-linux-gnu",
          "/lib/aarch64-linux-gnu");

  private NvmlPath() {}

  /// The library below a driver root; its bare name, which the dynamic linker looks up, where the
  /// root is that of the process itself or holds none.
  public static String in(HostRoot driverRoot) {
    if (driverRoot.isOwnRoot()) {
      return NAME;
    }
    return FOLDERS.stream()
        .flatMap(folder -> file(driverRoot, folder + "/" + NAME).stream())
        .map(Path::toString)
        .findFirst()
        .orElse(NAME);
  }

  private static Optional<Path> file(HostRoot root, String hostPath) {
    try {
      return Optional.of(root.resolve(hostPath)).filter(Files::isRegularFile);
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
