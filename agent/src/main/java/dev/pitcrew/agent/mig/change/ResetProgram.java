package dev.pitcrew.agent.mig.change;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/// Resets GPUs by the driver's own `nvidia-smi`: NVML has no call for it.
record ResetProgram(HostRoot driver) {
  private static final String NAME = "nvidia-smi";
  private static final List<String> FOLDERS =
      List.of("/usr/bin", "/usr/sbin", "/bin", "/sbin", "/opt/bin");

  /// All GPUs of a node together take half a minute.
  private static final long MOST_SECONDS = 180;

  private static final Duration FOR_LAST_WORDS = Duration.ofSeconds(1);

  static ResetProgram of(DriverRoot root) {
    return new ResetProgram(root.files());
  }

  /// @return why they were not reset
  Optional<String> reset(List<String> addresses) {
    Optional<Path> program = program();
    if (program.isEmpty()) {
      return Optional.of("no %s below %s to reset GPUs with".formatted(NAME, driver.folder()));
    }
    return run(command(program.get(), String.join(",", addresses)));
  }

  // A driver that brings a root of its own brings the libraries that its program wants.
  private List<String> command(Path program, String addresses) {
    var command = new ArrayList<String>();
    if (driver.isOwnRoot() || !hasGate()) {
      command.add(program.toString());
    } else {
      command.addAll(List.of("pitcrew", "in-root", driver.folder().toString(), NAME));
    }
    command.addAll(List.of("-r", "-i", addresses));
    return command;
  }

  private static boolean hasGate() {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    return List.of(path.split(":")).stream()
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "pitcrew")));
  }

  private Optional<Path> program() {
    for (String folder : FOLDERS) {
      try {
        Path found = driver.resolve(folder + "/" + NAME);
        if (Files.isExecutable(found)) {
          return Optional.of(found);
        }
      } catch (IOException _) {
        // A link in a circle: not there.
      }
    }
    return Optional.empty();
  }

  private static Optional<String> run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      // Beside the wait: a program that hangs does not end its words either.
      var said = new AtomicReference<>("");
      Thread reader = Thread.ofVirtual().start(() -> said.set(words(process)));
      if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return Optional.of("%s did not end within %d s".formatted(NAME, MOST_SECONDS));
      }
      reader.join(FOR_LAST_WORDS);
      return process.exitValue() == 0 ? Optional.empty() : Optional.of(lastLine(said.get()));
    } catch (IOException e) {
      return Optional.of("%s cannot be run: %s".formatted(NAME, e.getMessage()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted while %s ran".formatted(NAME));
    }
  }

  private static String words(Process process) {
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String lastLine(String said) {
    return said.lines().filter(line -> !line.isBlank()).reduce((_, last) -> last).orElse(NAME);
  }
}
