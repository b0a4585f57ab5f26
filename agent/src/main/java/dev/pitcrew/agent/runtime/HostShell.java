package dev.pitcrew.agent.runtime;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Runs programs of the host as the host has them, with its own `/`.
///
/// @param entry what goes before each command line
public record HostShell(List<String> entry) {
  private static final String GATE = "pitcrew";

  /// Programs of systemd do nothing, and call it success, where they take their root for another
  /// one than the host's (systemd, `docs/ENVIRONMENT.md`).
  private static final String DESPITE_OUR_ROOT = "SYSTEMD_IGNORE_CHROOT";

  public HostShell {
    entry = List.copyOf(entry);
  }

  /// The gate changes the root: the agent's image has no program for it.
  public static HostShell of(HostRoot host) {
    return new HostShell(
        host.isOwnRoot() ? List.of() : List.of(GATE, "in-root", host.folder().toString()));
  }

  /// @param status the program's own, or 127 where it could not be started, 124 where it took too
  ///   long
  public record Said(int status, String output, String errors) {
    private static final int NOT_FOUND = 127;
    private static final int TOO_LONG = 124;

    public boolean isGood() {
      return status == 0;
    }

    /// The last line of what it complained about.
    public String lastWords() {
      return errors
          .lines()
          .filter(line -> !line.isBlank())
          .reduce((_, last) -> last)
          .orElse("status " + status);
    }
  }

  public Said run(Duration limit, List<String> command) throws InterruptedException {
    var program = new ProcessBuilder(Stream.concat(entry.stream(), command.stream()).toList());
    program.environment().put(DESPITE_OUR_ROOT, "1");
    return run(limit, program);
  }

  /// Runs a program to its end, or to the limit.
  public static Said run(Duration limit, ProcessBuilder program) throws InterruptedException {
    try (var readers = Executors.newVirtualThreadPerTaskExecutor()) {
      Process process = program.start();
      var output = readers.submit(() -> text(process.getInputStream().readAllBytes()));
      var errors = readers.submit(() -> text(process.getErrorStream().readAllBytes()));
      try {
        process.getOutputStream().close();
        boolean isOver = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (!isOver) {
          process.destroyForcibly();
        }
        return new Said(isOver ? process.exitValue() : Said.TOO_LONG, output.get(), errors.get());
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException | ExecutionException e) {
      return new Said(Said.NOT_FOUND, "", String.valueOf(e.getMessage()));
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
