package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The programs that a driver brings, such as `nvidia-smi`.
public final class DriverProgram {
  private static final String GATE = "pitcrew";
  private static final List<String> FOLDERS =
      List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/opt/bin");

  private DriverProgram() {}

  /// How this process runs a program of the driver. A driver with a root of its own brings the
  /// libraries that its programs need, so they run in that root.
  ///
  /// @return the begin of the command line; empty where the driver does not have the program
  public static Optional<List<String>> command(HostRoot driver, String name) {
    return find(driver, name)
        .map(program ->
            driver.isOwnRoot() || !hasGate()
                ? List.of(program.toString())
                : List.of(GATE, "in-root", driver.folder().toString(), name));
  }

  private static Optional<Path> find(HostRoot driver, String name) {
    for (String folder : FOLDERS) {
      try {
        Path found = driver.resolve(folder + "/" + name);
        if (Files.isExecutable(found)) {
          return Optional.of(found);
        }
      } catch (IOException _) {
        // A link in a circle: not there.
      }
    }
    return Optional.empty();
  }

  private static boolean hasGate() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return List.of(path.split(":")).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, GATE)));
  }
}
