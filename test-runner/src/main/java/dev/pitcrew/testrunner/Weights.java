package dev.pitcrew.testrunner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// How long jobs took in an earlier run: the order of the next one. A wrong weight costs time and
/// nothing else.
///
/// @param seconds name of a job to what it took; those of less than a second are left out
record Weights(Map<String, Double> seconds) {
  private static final double UNKNOWN_SECONDS = 1;

  static Weights read(Path file) {
    var seconds = new HashMap<String, Double>();
    try {
      for (var line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
        var fields = line.split("\t", -1);
        if (fields.length == 2 && !line.startsWith("#")) {
          seconds.put(fields[1], Double.parseDouble(fields[0]));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
    return new Weights(seconds);
  }

  double of(Job job) {
    return seconds.getOrDefault(job.name(), UNKNOWN_SECONDS);
  }

  /// Writes what `results` took, and keeps what it knew of jobs that did not run.
  void write(Path file, Collection<JobResult> results) {
    var next = new TreeMap<>(seconds);
    results.forEach(result -> next.put(result.job().name(), result.wall().toMillis() / 1000.0));
    next.values().removeIf(taken -> taken < UNKNOWN_SECONDS);
    var text =
        new StringBuilder(
            "# Seconds that test classes took, the order of the next run: make test ARGS=--write-weights\n");
    next.forEach(
        (name, taken) -> text.append(String.format(Locale.ROOT, "%.0f\t%s%n", taken, name)));
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException("write " + file, e);
    }
  }
}
