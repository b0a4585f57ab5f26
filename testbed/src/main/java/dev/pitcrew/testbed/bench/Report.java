package dev.pitcrew.testbed.bench;

import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The results as a Markdown page.
///
/// @param jvmFlags of the operator
record Report(List<SizeFigures> sizes, Machine machine, LocalDate day, List<String> jvmFlags) {
  private static final String HEAD =
      """
      # The operator, compared with the NVIDIA GPU Operator

      | measure | nodes | NVIDIA | target | ours | met |
      | --- | ---: | ---: | ---: | ---: | --- |
      """;

  Report {
    sizes = List.copyOf(sizes);
    jvmFlags = List.copyOf(jvmFlags);
  }

  String markdown() {
    return HEAD + table() + "\n\n" + conditions() + "\n" + details();
  }

  /// One line a measure and size.
  private String table() {
    return Goals.all().stream()
        .flatMap(goal -> sizes.stream().map(goal::row))
        .map(Row::markdown)
        .collect(Collectors.joining("\n"));
  }

  private String conditions() {
    return """
    %s; %s.
    JVM flags of the operator: `%s`.
    The figures of the NVIDIA GPU Operator come from another machine: compare ratios. The operator, the control plane, the simulated nodes and the bench share this one, so ours are upper bounds.
    Load average before each run: %s. Above a tenth of the cores another program ran beside it.
    """
        .formatted(
            machine.markdown(),
            day,
            String.join(" ", jvmFlags),
            sizes.stream()
                .map(size ->
                    String.format(Locale.ROOT, "%.1f at %,d nodes", size.load(), size.nodes()))
                .collect(Collectors.joining(", ")));
  }

  private String details() {
    return "\n## Calls by verb and resource\n\n"
        + sizes.stream().flatMap(Report::details).collect(Collectors.joining("\n"))
        + "\n";
  }

  private static Stream<String> details(SizeFigures figures) {
    var start = figures.start();
    var answers = figures.answers();
    return Stream.of(
        String.format(
            Locale.ROOT,
            "At %,d nodes, %d DaemonSets; %s:%n",
            figures.nodes(),
            start.daemonSets(),
            start
                .ready()
                .map(ready -> "ready after " + ready.toSeconds() + " s")
                .orElse("not waited for ready")),
        line("start, until applied and labelled", CallCounts.of(start.calls())),
        line("start, until at rest", CallCounts.of(start.callsUntilRest())),
        line("steady minute", CallCounts.of(figures.steadyMinute().calls())),
        line(
            answers.foreignFlips().result() + " foreign labels",
            CallCounts.of(answers.foreignFlips().calls())),
        line(
            answers.ownFlips().result() + " labels of ours",
            CallCounts.of(answers.ownFlips().calls())),
        line(
            answers.joins().result().trials() + " node joins",
            CallCounts.of(answers.joins().calls())),
        line(
                answers.edits().result().trials() + " policy edits",
                CallCounts.of(answers.edits().calls()))
            + "\n");
  }

  private static String line(String phase, CallCounts counts) {
    return "- " + phase + ": " + counts.text();
  }
}
