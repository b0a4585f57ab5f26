package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.Goal.Unit;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Roll-outs as a Markdown page.
///
/// @param command what was called
record UpgradeReport(List<UpgradeFigures> sizes, Machine machine, LocalDate day, String command) {
  private static final String HEAD =
      """
      # Driver upgrades, compared with the NVIDIA GPU Operator

      | measure | nodes | NVIDIA | target | ours | met |
      | --- | ---: | ---: | ---: | ---: | --- |
      """;

  private record Measure(
      String name,
      Unit unit,
      String reference,
      Optional<Double> limit,
      ToDoubleFunction<UpgradeFigures> figure) {
    static Measure of(String name, Unit unit, ToDoubleFunction<UpgradeFigures> figure) {
      return new Measure(name, unit, "", Optional.empty(), figure);
    }

    Measure atMost(double most) {
      return new Measure(name, unit, reference, Optional.of(most), figure);
    }

    Measure beside(String text) {
      return new Measure(name, unit, text, limit, figure);
    }

    Row row(UpgradeFigures figures) {
      var ours = figure.applyAsDouble(figures);
      return new Row(
          name,
          figures.size(),
          reference,
          limit.map(most -> "≤ " + unit.text(most)).orElse(""),
          unit.text(ours),
          limit.map(most -> ours <= most));
    }
  }

  private static final List<Measure> MEASURES =
      List.of(
          Measure.of(
                  "overhead of the controller per node, p50",
                  Unit.MILLISECONDS,
                  it -> millis(it.overheads().percentile(50)))
              .atMost(500),
          Measure.of(
                  "overhead of the controller per node, p99",
                  Unit.MILLISECONDS,
                  it -> millis(it.overheads().percentile(99)))
              .atMost(500),
          Measure.of(
                  "API calls per upgraded node",
                  Unit.CALLS_EACH,
                  it -> (double) it.counted().size() / it.size())
              .atMost(25),
          Measure.of("nodes at a time (maxParallelUpgrades)", Unit.CALLS, it -> it.parallel()),
          Measure.of("most nodes cordoned at a time", Unit.CALLS, it -> it.mostCordoned()),
          Measure.of("whole roll-out", Unit.SECONDS, it -> millis(it.whole()) / 1000),
          Measure.of(
                  "seconds of the roll-out per node, times nodes at a time",
                  Unit.SECONDS,
                  it -> millis(it.whole()) / 1000 / it.size() * it.parallel())
              .beside("about 120 s"),
          Measure.of(
              "a node from its cordon to its end, p50",
              Unit.SECONDS,
              it -> millis(it.underWay().percentile(50)) / 1000),
          Measure.of(
              "a node from its cordon to its end, p99",
              Unit.SECONDS,
              it -> millis(it.underWay().percentile(99)) / 1000),
          Measure.of(
              "change of the policy → all nodes marked to wait",
              Unit.SECONDS,
              it -> millis(it.marked().orElse(Duration.ZERO)) / 1000),
          Measure.of(
              "CPU time of the operator per node",
              Unit.MILLISECONDS,
              it -> millis(it.cpu()) / it.size()),
          Measure.of("RSS before", Unit.MEBIBYTES, it -> it.memory().before().residentMib()),
          Measure.of("RSS, peak during", Unit.MEBIBYTES, it -> it.memory().peakMib()),
          Measure.of("RSS after", Unit.MEBIBYTES, it -> it.memory().after().residentMib()),
          Measure.of("RssAnon before", Unit.MEBIBYTES, it -> it.memory().before().anonymousMib()),
          Measure.of("RssAnon, peak during", Unit.MEBIBYTES, it -> it.memory().peakAnonymousMib()),
          Measure.of("RssAnon after", Unit.MEBIBYTES, it -> it.memory().after().anonymousMib()));

  UpgradeReport {
    sizes = List.copyOf(sizes);
  }

  String markdown() {
    return HEAD + table() + "\n\n" + conditions() + gaps() + calls();
  }

  private String table() {
    return MEASURES.stream()
        .flatMap(measure -> sizes.stream().map(measure::row))
        .map(Row::markdown)
        .collect(Collectors.joining("\n"));
  }

  private String conditions() {
    return """
    %s; %s, `%s`.
    The figure of the NVIDIA GPU Operator is from another machine, with one node at a time and pods that are ready at once. Operator, control plane, nodes and bench share this one, so ours are upper bounds.
    Load average before each run: %s.

    """
        .formatted(
            machine.markdown(),
            day,
            command,
            sizes.stream()
                .map(it -> String.format(Locale.ROOT, "%.1f at %,d nodes", it.load(), it.size()))
                .collect(Collectors.joining(", ")));
  }

  private String gaps() {
    return """
    ## The operator's writes for a node: the time since their cause

    | write | nodes | writes | p50 | p99 | longest |
    | --- | ---: | ---: | ---: | ---: | ---: |
    """
        + sizes.stream().flatMap(UpgradeReport::gaps).collect(Collectors.joining("\n"));
  }

  private static Stream<String> gaps(UpgradeFigures figures) {
    return figures.gaps().entrySet().stream()
        .map(gap ->
            String.format(
                Locale.ROOT,
                "| %s | %,d | %,d | %.0f ms | %.0f ms | %.0f ms |",
                gap.getKey(),
                figures.size(),
                gap.getValue().trials(),
                millis(gap.getValue().percentile(50)),
                millis(gap.getValue().percentile(99)),
                millis(gap.getValue().percentile(100))));
  }

  private String calls() {
    return sizes.stream()
        .map(it ->
            String.format(
                Locale.ROOT,
                "- At %,d nodes, %,d that count: %s%n",
                it.size(),
                it.counted().size(),
                CallCounts.of(it.calls()).text()))
        .collect(
            Collectors.joining(
                "",
                "\n\n## Calls by verb and resource, Events, evictions and the lease included\n\n",
                ""));
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1_000_000.0;
  }
}
