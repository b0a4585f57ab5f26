package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.host.DriverProgram;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/// Resets GPUs by the driver's own `nvidia-smi`: NVML has no call for it.
record ResetProgram(HostRoot driver) {
  private static final String NAME = "nvidia-smi";

  /// All GPUs of a node together take half a minute.
  private static final long MOST_SECONDS = 180;

  private static final Duration FOR_LAST_WORDS = Duration.ofSeconds(1);

  static ResetProgram of(DriverRoot root) {
    return new ResetProgram(root.files());
  }

  /// @return why they were not reset
  Optional<String> reset(List<String> addresses) {
    return DriverProgram.command(driver, NAME)
        .map(program ->
            run(
                Stream.concat(program.stream(), Stream.of("-r", "-i", String.join(",", addresses)))
                    .toList()))
        .orElseGet(() ->
            Optional.of("no %s below %s to reset GPUs with".formatted(NAME, driver.folder())));
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
