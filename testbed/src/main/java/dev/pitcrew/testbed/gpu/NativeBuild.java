package dev.pitcrew.testbed.gpu;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// What `make -C native` has built.
public record NativeBuild(Path folder) {
  private static final String LIBRARY = "libnvidia-ml.so.1";
  private static final String R470_LIBRARY = "libnvidia-ml-r470.so.1";
  private static final int R510 = 510;
  private static final String CUDA = "libcuda.so.1";
  private static final String COMMAND = "nvml-sim";

  /// The folder that the system property `pitcrew.native` names, else `native/build` of the
  /// checkout that the process was started in.
  ///
  /// @throws TestbedException if the simulator is not there
  public static NativeBuild find() {
    var named = System.getProperty("pitcrew.native");
    var places = named == null ? checkouts() : Stream.of(Path.of(named));
    return places
        .map(NativeBuild::new)
        .filter(NativeBuild::isBuilt)
        .findFirst()
        .orElseThrow(
            () -> new TestbedException("The simulated GPUs are not built:\n  make -C native"));
  }

  private static Stream<Path> checkouts() {
    return Stream.iterate(Path.of("").toAbsolutePath(), path -> path != null, Path::getParent)
        .map(path -> path.resolve("native/build"));
  }

  private boolean isBuilt() {
    return Files.isRegularFile(library())
        && Files.isRegularFile(cuda())
        && Files.isExecutable(folder.resolve(COMMAND));
  }

  /// The simulated libnvidia-ml.
  public Path library() {
    return folder.resolve(LIBRARY);
  }

  /// The simulated libnvidia-ml, with the functions that a driver of that version has.
  Path library(String driver) {
    int branch = Integer.parseInt(driver.substring(0, driver.indexOf('.')));
    return branch < R510 ? folder.resolve(R470_LIBRARY) : library();
  }

  /// The simulated libcuda.
  public Path cuda() {
    return folder.resolve(CUDA);
  }

  /// The program that containers' CDI specifications name.
  public Path hook() {
    return folder.resolve("hook/pitcrew-cdi-hook");
  }

  /// The entry point of a simulated driver container.
  Path driverContainer() {
    return folder.resolve("nvidia-driver");
  }

  /// Runs `nvml-sim` to its end and returns what it wrote.
  ///
  /// @throws TestbedException if it fails, with what it wrote
  String run(String input, List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(folder.resolve(COMMAND).toString());
    command.addAll(arguments);
    try {
      return finish(command, start(command), input);
    } catch (IOException e) {
      throw new TestbedException(String.join(" ", command) + ": " + e.getMessage());
    }
  }

  private static Process start(List<String> command) throws IOException {
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("NVML_SIM_STATE");
    return builder.start();
  }

  private static String finish(List<String> command, Process process, String input)
      throws IOException {
    try (var stdin = process.getOutputStream()) {
      stdin.write(input.getBytes(StandardCharsets.UTF_8));
    }
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new TestbedException(String.join(" ", command) + ": " + output.strip());
      }
    } catch (InterruptedException _) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    return output;
  }
}
