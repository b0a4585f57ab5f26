package dev.pitcrew.agent.mps;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Finds `nvidia-cuda-mps-control`: on the path, where a container runtime puts it, else below the
/// driver root.
public final class ControlProgram {
  private static final String NAME = "nvidia-cuda-mps-control";
  private static final List<String> FOLDERS =
      List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin", "/opt/bin");

  private ControlProgram() {}

  /// @param path the variable PATH; empty where it is not set
  public static Optional<Path> find(String path, HostRoot driver) {
    Stream<Path> named =
        Stream.of(path.split(":")).filter(folder -> folder.startsWith("/")).map(Path::of);
    Stream<Path> installed = FOLDERS.stream().flatMap(folder -> below(driver, folder).stream());
    return Stream.concat(named.map(folder -> folder.resolve(NAME)), installed)
        .filter(Files::isRegularFile)
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static Optional<Path> below(HostRoot driver, String folder) {
    try {
      return Optional.of(driver.resolve(folder + "/" + NAME));
    } catch (IOException _) {
      return Optional.empty();
    }
  }
}
