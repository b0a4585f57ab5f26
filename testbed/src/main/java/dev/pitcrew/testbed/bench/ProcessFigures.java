package dev.pitcrew.testbed.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a process costs, as Linux counts it.
///
/// @param peakMib the largest resident set since its start
/// @param anonymousMib the part of the resident set that no file backs
/// @param threads that it has at the moment
record ProcessFigures(
    long residentMib, long anonymousMib, long peakMib, Duration cpu, int threads) {
  private static final int KIB_PER_MIB = 1024;
  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;

  /// USER_HZ, which Linux fixes for every architecture that a JDK exists for.
  private static final long MILLIS_PER_TICK = 10;

  static ProcessFigures of(long processId) {
    var folder = Path.of("/proc", Long.toString(processId));
    try {
      return parse(
          Files.readAllLines(folder.resolve("status")), Files.readString(folder.resolve("stat")));
    } catch (IOException e) {
      throw new UncheckedIOException("read what process " + processId + " costs", e);
    }
  }

  /// Reads the texts of `/proc/<pid>/status` and `/proc/<pid>/stat`.
  static ProcessFigures parse(List<String> status, String stat) {
    return new ProcessFigures(
        mib(status, "VmRSS"),
        mib(status, "RssAnon"),
        mib(status, "VmHWM"),
        cpu(stat),
        (int) number(status, "Threads", ""));
  }

  private static long mib(List<String> status, String field) {
    return number(status, field, " kB") / KIB_PER_MIB;
  }

  private static long number(List<String> status, String field, String unit) {
    var line = Pattern.compile(field + ":\\s+(?<number>[0-9]+)" + unit);
    return status.stream()
        .map(line::matcher)
        .filter(Matcher::matches)
        .mapToLong(found -> Long.parseLong(found.group("number")))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no " + field + " among " + status));
  }

  /// The name of the program is in parentheses and may hold anything, so fields count from its end.
  private static Duration cpu(String stat) {
    var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    var ticks = Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]);
    return Duration.ofMillis(ticks * MILLIS_PER_TICK);
  }
}
