package dev.pitcrew.image;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/// A program of the image while it is trained: it runs as in production until it is terminated, and
/// only then the JVM writes the cache.
///
/// @param log what it wrote
record TrainingRun(Process process, Path log) implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// Writing the cache takes some 10 seconds of a whole processor.
  private static final Duration LIMIT_OF_END = Duration.ofMinutes(3);

  private static final int LOOK_EVERY_MS = 50;

  static TrainingRun start(Container container, List<String> arguments, Path log) {
    try {
      var process =
          new ProcessBuilder(container.command(arguments))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      return new TrainingRun(process, log);
    } catch (IOException e) {
      throw new UncheckedIOException("start the training", e);
    }
  }

  /// Until `isDone`, which is polled: no event reports that a file appears.
  void await(String what, BooleanSupplier isDone) {
    var end = System.nanoTime() + LIMIT.toNanos();
    while (!isDone.getAsBoolean()) {
      if (!process.isAlive() || System.nanoTime() > end) {
        throw new ImageException("training: %s did not happen; see %s".formatted(what, log));
      }
      pause();
    }
  }

  /// Terminates the program, as a kubelet does, and waits for the cache.
  void end() {
    process.destroy();
    try {
      if (!process.waitFor(LIMIT_OF_END.toSeconds(), TimeUnit.SECONDS)) {
        throw new ImageException("training: the JVM does not end; see " + log);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ImageException("training was interrupted");
    }
  }

  private void pause() {
    try {
      var _ = process.waitFor(LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ImageException("training was interrupted");
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  static Path emptyFolder(Path folder) {
    try {
      FileTree.delete(folder);
      return Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("make the folder " + folder, e);
    }
  }
}
