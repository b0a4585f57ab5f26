package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.Job.Command;
import dev.pitcrew.testrunner.Job.TestClass;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a run says when it is over.
final class Report {
  /// Begins a line of a test's output that says what a soak covers and `make test` does not.
  static final String SOAK_LINE = "soak: ";

  private static final int SLOWEST = 20;
  private static final Duration BUDGET = Duration.ofSeconds(60);

  /// A comment in the source of a test class that may take longer, with the reason.
  private static final Pattern OWN_BUDGET = Pattern.compile("// Test budget (\\d+) s: \\S");

  private final PrintStream out;

  Report(PrintStream out) {
    this.out = out;
  }

  void print(List<JobResult> results) {
    printSlowest(results);
    printModules(results);
    printOverBudget(results);
    printSoak(results);
    printCommands(results);
    printSkips(results);
  }

  private void printSlowest(List<JobResult> results) {
    out.printf("%nThe %d slowest:%n%9s %9s%n", SLOWEST, "WALL", "CPU");
    results.stream()
        .sorted(Comparator.comparing(JobResult::wall).reversed())
        .limit(SLOWEST)
        .forEach(result -> printTimes(result.wall(), result.cpu(), result.job().name()));
  }

  private void printModules(List<JobResult> results) {
    Map<String, List<JobResult>> modules =
        results.stream()
            .collect(Collectors.groupingBy(Report::module, TreeMap::new, Collectors.toList()));
    out.printf("%nBy module:%n%9s %9s%n", "WALL", "CPU");
    modules.forEach((name, of) ->
        printTimes(
            wall(of),
            cpu(of),
            "%s (%d classes, %d tests)"
                .formatted(
                    name,
                    of.size(),
                    of.stream().mapToInt(result -> result.tests().passed()).sum())));
    printTimes(wall(results), cpu(results), "in all");
  }

  private static String module(JobResult result) {
    return switch (result.job()) {
      case TestClass test -> test.module().name();
      case Command command -> command.name();
    };
  }

  private static Duration wall(List<JobResult> results) {
    return results.stream().map(JobResult::wall).reduce(Duration.ZERO, Duration::plus);
  }

  private static Duration cpu(List<JobResult> results) {
    return results.stream().map(JobResult::cpu).reduce(Duration.ZERO, Duration::plus);
  }

  private void printTimes(Duration wall, Duration cpu, String name) {
    out.printf(
        Locale.ROOT,
        "%7.1f s %7.1f s  %s%n",
        wall.toMillis() / 1000.0,
        cpu.toMillis() / 1000.0,
        name);
  }

  /// Names the classes that took longer than they may; a slow machine makes no test fail.
  private void printOverBudget(List<JobResult> results) {
    var over =
        results.stream()
            .filter(result ->
                result.job() instanceof TestClass test && result.wall().compareTo(budget(test)) > 0)
            .toList();
    if (!over.isEmpty()) {
      out.printf(
          "%nOver the budget of %d s, or of the one that the file states:%n", BUDGET.toSeconds());
      over.forEach(result -> printTimes(result.wall(), result.cpu(), result.job().name()));
    }
  }

  private static Duration budget(TestClass test) {
    if (!Files.exists(test.source())) {
      return BUDGET;
    }
    try {
      var own = OWN_BUDGET.matcher(Files.readString(test.source()));
      return own.find() ? Duration.ofSeconds(Long.parseLong(own.group(1))) : BUDGET;
    } catch (IOException e) {
      throw new UncheckedIOException("read " + test.source(), e);
    }
  }

  private void printSoak(List<JobResult> results) {
    var lines =
        RunTests.modules(results.stream().map(JobResult::job).toList()).stream()
            .flatMap(module -> module.printed(SOAK_LINE))
            .sorted()
            .distinct()
            .toList();
    if (!lines.isEmpty()) {
      out.printf("%nPlayed beyond 'make test':%n");
      lines.forEach(line -> out.printf("  %s%n", line));
    }
  }

  /// The last line of a command sums up what it did.
  private void printCommands(List<JobResult> results) {
    results.stream()
        .map(JobResult::job)
        .flatMap(job -> job instanceof Command command ? Stream.of(command) : Stream.of())
        .forEach(command -> out.printf("%n%s: %s%n", command.name(), CommandRun.lastLine(command)));
  }

  private void printSkips(List<JobResult> results) {
    var skips = results.stream().flatMap(result -> result.tests().skips().stream()).toList();
    if (!skips.isEmpty()) {
      out.printf("%n%d skipped:%n", skips.size());
      skips.forEach(skip -> out.printf("  %s: %s%n", skip.test(), skip.text()));
    }
  }
}
