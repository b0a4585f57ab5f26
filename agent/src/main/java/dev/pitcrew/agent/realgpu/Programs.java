package dev.pitcrew.agent.realgpu;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Starts programs with their output in a folder of ours.
///
/// @param pitcrew the script of the bundle
/// @param places the flags that say where host and driver are
/// @param folder for outputs
record Programs(Path pitcrew, List<String> places, Path folder) {
  /// What a program that was killed at its limit has for a status.
  static final int LATE = 124;

  /// @param status or [#LATE]
  record Ended(int status, String output, String errors, Duration took) {
    /// What it said last.
    String lastLine() {
      var lines = (output + "\n" + errors).strip().lines().toList();
      return lines.isEmpty() ? "it wrote nothing" : lines.getLast();
    }
  }

  /// Runs a program of the bundle.
  Ended pitcrew(Duration limit, List<String> arguments) throws IOException, InterruptedException {
    return run(limit, pitcrewWords(arguments));
  }

  Ended run(Duration limit, List<String> words) throws IOException, InterruptedException {
    var out = Files.createTempFile(folder, "out", "");
    var err = Files.createTempFile(folder, "err", "");
    long begin = System.nanoTime();
    var process = builder(words, out, err).start();
    process.getOutputStream().close();
    boolean isOver = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (!isOver) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    return new Ended(
        isOver ? process.exitValue() : LATE,
        text(out),
        text(err),
        Duration.ofNanos(System.nanoTime() - begin));
  }

  /// Starts a program of the bundle that runs until it is stopped.
  Process start(List<String> arguments, Path err) throws IOException {
    return builder(pitcrewWords(arguments), err.resolveSibling(err.getFileName() + ".out"), err)
        .start();
  }

  /// Stops what was started, and kills it where it does not end.
  static int stop(Process process, Duration limit) throws InterruptedException {
    process.destroy();
    if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      return process.exitValue();
    }
    process.destroyForcibly().waitFor();
    return LATE;
  }

  static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  private List<String> pitcrewWords(List<String> arguments) {
    var words = new ArrayList<String>();
    words.add(pitcrew.toString());
    words.addAll(arguments);
    return words;
  }

  private static ProcessBuilder builder(List<String> words, Path out, Path err) {
    return new ProcessBuilder(words).redirectOutput(out.toFile()).redirectError(err.toFile());
  }
}
