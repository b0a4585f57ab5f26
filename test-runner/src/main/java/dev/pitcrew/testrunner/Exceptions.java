package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.ClassResult.Note;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What does not turn a run of continuous integration red, each with a reason: a line of
/// `build/test-exceptions` is `skip NAME: reason` or `flaky DATE NAME: cause`.
///
/// @param skips beginnings of the names of tests that may be skipped
/// @param flaky names of jobs that may fail once and then pass
record Exceptions(List<String> skips, List<String> flaky) {
  private static final Pattern SKIP = Pattern.compile("skip (.+?): \\S.*");
  private static final Pattern FLAKY = Pattern.compile("flaky \\d{4}-\\d{2}-\\d{2} (.+?): \\S.*");

  static Exceptions read(Path file) {
    try {
      var lines = Files.readAllLines(file).stream().filter(Exceptions::isRule).toList();
      lines.stream()
          .filter(line -> !SKIP.matcher(line).matches() && !FLAKY.matcher(line).matches())
          .findFirst()
          .ifPresent(line -> {
            throw new IllegalArgumentException(
                "%s: '%s' is neither 'skip NAME: reason' nor 'flaky DATE NAME: cause'"
                    .formatted(file, line));
          });
      return new Exceptions(names(SKIP, lines), names(FLAKY, lines));
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }

  private static boolean isRule(String line) {
    return !line.isBlank() && !line.startsWith("#");
  }

  private static List<String> names(Pattern rule, List<String> lines) {
    return lines.stream()
        .map(rule::matcher)
        .flatMap(line -> line.matches() ? Stream.of(line) : Stream.<Matcher>empty())
        .map(line -> line.group(1))
        .toList();
  }

  boolean allow(Note skip) {
    return skips.stream().anyMatch(skip.test()::startsWith);
  }

  boolean allowFlaky(Job job) {
    return flaky.contains(job.name());
  }
}
