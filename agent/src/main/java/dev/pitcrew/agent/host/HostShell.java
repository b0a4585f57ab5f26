package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
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

  private static final Duration FOR_LAST_WORDS = Duration.ofSeconds(1);

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

    /// Whether the program ran to its end.
    public boolean hasEnded() {
      return status != NOT_FOUND && status != TOO_LONG;
    }

    /// The last line of what it complained about.
    public String lastOutput() {
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

  /// Runs a program to its end, or to the limit. No caller waits longer: a program that is stuck in
  /// the kernel outlives every signal, and one that it has started may keep its output open.
  public static Said run(Duration limit, ProcessBuilder program) throws InterruptedException {
    long endNanos = System.nanoTime() + limit.plus(FOR_LAST_WORDS).toNanos();
    try {
      Process process = program.start();
      var output = Words.of(process.getInputStream());
      var errors = Words.of(process.getErrorStream());
      try {
        process.getOutputStream().close();
        boolean isOver = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (!isOver) {
          process.destroyForcibly();
        }
        return new Said(
            isOver ? process.exitValue() : Said.TOO_LONG,
            output.until(endNanos),
            errors.until(endNanos));
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      return new Said(Said.NOT_FOUND, "", String.valueOf(e.getMessage()));
    }
  }

  /// What is read beside the wait.
  private record Words(ByteArrayOutputStream bytes, Thread reader) {
    /// The thread is of the platform: a virtual one would hold on to its carrier where the output
    /// never ends.
    static Words of(InputStream from) {
      var bytes = new ByteArrayOutputStream();
      return new Words(
          bytes, Thread.ofPlatform().daemon().name("output").start(() -> read(from, bytes)));
    }

    private static void read(InputStream from, ByteArrayOutputStream bytes) {
      try {
        from.transferTo(bytes);
      } catch (IOException _) {
        // What came before counts.
      }
    }

    /// What has come by then, or by its end.
    String until(long endNanos) throws InterruptedException {
      reader.join(Duration.ofNanos(endNanos - System.nanoTime()));
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }
}
