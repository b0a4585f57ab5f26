package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A child process behind the guard script: it ends on a request to stop and when this JVM ends.
public final class GuardedProcess {
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);
  private static final int TAIL_LINES = 15;
  private final String name;
  private final Process guard;
  private final Path log;
  private final long logStart;

  private GuardedProcess(String name, Process guard, Path log, long logStart) {
    this.name = name;
    this.guard = guard;
    this.log = log;
    this.logStart = logStart;
  }

  /// Starts `guard`, whose output is appended to `log`: what a process of the same name wrote there
  /// before does not count as this one's words.
  static GuardedProcess start(String name, ProcessBuilder guard, Path log) throws IOException {
    var logStart = Files.exists(log) ? Files.size(log) : 0;
    guard.redirectErrorStream(true).redirectOutput(Redirect.appendTo(log.toFile()));
    return new GuardedProcess(name, guard.start(), log, logStart);
  }

  public String name() {
    return name;
  }

  public Path log() {
    return log;
  }

  public boolean isAlive() {
    return guard.isAlive();
  }

  /// The running program `executable`, such as `java`; empty until it has been started, and when it
  /// has ended.
  public Optional<ProcessHandle> process(String executable) {
    return guard
        .children()
        .filter(child ->
            child
                .info()
                .command()
                .filter(command -> Path.of(command).endsWith(executable))
                .isPresent())
        .findFirst();
  }

  /// Kills the process and returns when it is gone; does nothing when it has ended.
  public void stop() {
    send("stop\n");
    awaitEnd();
  }

  /// Behaves as if this JVM had ended, for this one guard.
  void release() {
    send("");
    awaitEnd();
  }

  /// The last lines that the process wrote.
  public String logTail() {
    var lines = logText().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  /// True when the process said that it could not listen on its port.
  boolean lostItsPort() {
    return logText().contains("address already in use");
  }

  private String logText() {
    try (var stream = Files.newInputStream(log)) {
      stream.skipNBytes(logStart);
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(cannot read " + log + ": " + e + ")";
    }
  }

  private void send(String order) {
    try (var stdin = guard.getOutputStream()) {
      stdin.write(order.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      // The pipe is broken only when the guard has ended, and then there is nothing to stop.
      if (guard.isAlive()) {
        throw new UncheckedIOException("stop " + name, e);
      }
    }
  }

  private void awaitEnd() {
    try {
      if (!guard.waitFor(STOP_DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
        throw new TestbedException(
            "%s (pid %d) did not end within %d s of being killed"
                .formatted(name, guard.pid(), STOP_DEADLINE.toSeconds()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
