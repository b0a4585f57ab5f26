package dev.pitcrew.testbed.scenario.play;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// The operator under test, stopped with all its children.
public final class OperatorProcess implements AutoCloseable {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(15);
  private static final Duration READY_LIMIT = Duration.ofSeconds(60);
  private static final Duration READY_RETRY = Duration.ofMillis(100);
  private static final int LAST_LINES = 5;
  private static final int HTTP_OK = 200;

  private final Process process;
  private final Path log;

  private OperatorProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /// @param command the words that start it
  /// @param environment added to the player's own
  /// @param log takes everything that the operator prints
  public static OperatorProcess start(
      List<String> command, Map<String, String> environment, Path log) throws IOException {
    Files.createDirectories(log.toAbsolutePath().getParent());
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    var process = builder.start();
    process.getOutputStream().close();
    var operator = new OperatorProcess(process, log);
    // A player that is terminated runs no finally block, and its operator must not outlive it.
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(operator::close));
    return operator;
  }

  /// Waits until the operator answers 200 at its readiness address.
  public void awaitReady(URI address) throws InterruptedException {
    var deadline = Deadline.in(READY_LIMIT);
    try (var http = HttpClient.newHttpClient()) {
      while (!isReady(http, address)) {
        requireRunning();
        if (deadline.isOver()) {
          throw failure("is not ready after " + READY_LIMIT.toSeconds() + " s at " + address);
        }
        process.waitFor(READY_RETRY.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  private static boolean isReady(HttpClient http, URI address) throws InterruptedException {
    var request = HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(2)).build();
    try {
      return http.send(request, BodyHandlers.discarding()).statusCode() == HTTP_OK;
    } catch (IOException _) {
      return false;
    }
  }

  /// @throws IllegalStateException if the operator has ended unexpectedly
  public void requireRunning() {
    if (!process.isAlive()) {
      throw failure("ended unexpectedly with status " + process.exitValue());
    }
  }

  /// Waits for the operator to end, without stopping it.
  ///
  /// @return its exit status, or nothing where it still runs after `limit`
  public OptionalInt awaitEnd(Duration limit) throws InterruptedException {
    return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
        ? OptionalInt.of(process.exitValue())
        : OptionalInt.empty();
  }

  /// Waits for the operator to end, without stopping it, however long it takes.
  ///
  /// @return its exit status
  public int awaitEnd() throws InterruptedException {
    return process.waitFor();
  }

  /// Ends the operator as `kill -9` does, so that it can finish nothing.
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }

  /// Asks the operator to end, as a kubelet does at first.
  public void terminate() {
    process.destroy();
  }

  /// Stops the operator in the middle of whatever it does, as a hypervisor does, until [#resume].
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  public void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    var kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0) {
      throw failure("cannot be sent the signal " + name);
    }
  }

  private IllegalStateException failure(String problem) {
    return new IllegalStateException(
        "the operator " + problem + "; the end of " + log + ":\n" + String.join("\n", lastLines()));
  }

  private List<String> lastLines() {
    try {
      var lines = Files.readAllLines(log);
      return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
    } catch (IOException e) {
      throw new UncheckedIOException("reading the operator's log " + log, e);
    }
  }

  /// Ends the operator and all its children; does nothing where they have ended.
  @Override
  public void close() {
    var family = Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    family.forEach(ProcessHandle::destroy);
    var ends = family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(ends)
        .completeOnTimeout(null, STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)
        .join();
    family.forEach(ProcessHandle::destroyForcibly);
  }
}
