package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.IdleRow;
import dev.pitcrew.cli.plan.NodeUseRow;
import dev.pitcrew.cli.plan.PodUseRow;
import dev.pitcrew.cli.plan.PodUseRow.Measure;
import dev.pitcrew.cli.plan.UseRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// How much GPUs are used.
public final class UsePrint {
  private static final int BAR = 8;
  private static final double PERCENT = 100;
  private static final double MIB_OF_GIB = 1024;
  private static final String UNKNOWN = "-";

  private static final Column NODE = new Column("NODE", 0, true);
  private static final Column GPU = new Column("GPU", 0, false);
  private static final Column UTIL = new Column("UTIL", 0, false);
  private static final Column MEM = new Column("MEM", 1, false);
  private static final Column WATTS = new Column("W", 3, false);
  private static final Column CELSIUS = new Column("°C", 4, false);
  private static final Column PODS = new Column("POD", 0, true);
  private static final Column HEALTH = new Column("HEALTH", 2, true);

  private UsePrint() {}

  /// @param wide with what the GPU is
  public static void gpus(Screen screen, List<UseRow> rows, boolean wide) {
    List<Column> columns = List.of(NODE, GPU, UTIL, MEM, WATTS, CELSIUS, PODS, HEALTH);
    List<Column> more =
        List.of(
            new Column("MIG PROFILE", 5, false),
            new Column("PRODUCT", 6, true),
            new Column("UUID", 7, false));
    new Table(
            wide ? Table.joined(columns, more) : columns,
            rows.stream()
                .map(row ->
                    wide
                        ? Table.joined(
                            cells(row),
                            List.of(
                                Cell.of(row.migProfile()),
                                Cell.of(row.product()),
                                Cell.of(row.uuid())))
                        : cells(row))
                .toList())
        .print(screen);
    boolean isShared =
        rows.stream().flatMap(it -> it.pods().stream()).anyMatch(UseRow.PodUse::shared);
    if (isShared) {
      screen.line();
      screen.paragraph(
          "~  ",
          Style.PLAIN,
          "estimate of what the pod uses of a GPU that pods share; ? where there is none. UTIL and MEM are of the whole GPU");
    }
    problems(screen, rows);
  }

  private static List<Cell> cells(UseRow row) {
    return List.of(
        Cell.of(row.node()),
        Cell.of(row.gpu()),
        Cell.of(bar(row.utilisationPercent())),
        Cell.of(memory(row.memoryUsedMib(), row.memoryMib())),
        Cell.of(whole(row.watts())),
        Cell.of(whole(row.celsius())),
        Cell.of(row.pods().stream().map(UsePrint::pod).collect(Collectors.joining(", "))),
        health(row.health()));
  }

  private static String pod(UseRow.PodUse pod) {
    return pod.shared()
        ? "%s ~%s"
            .formatted(
                pod.id(), pod.utilisationPercentEstimate().map(UsePrint::percent).orElse("?"))
        : pod.id();
  }

  private static Cell health(String level) {
    return new Cell(level, level.equals("Healthy") || level.isEmpty() ? Style.PLAIN : Style.BAD);
  }

  public static void nodes(Screen screen, List<NodeUseRow> nodes, List<UseRow> rows) {
    new Table(
            List.of(
                NODE,
                new Column("GPUS", 0, false),
                UTIL,
                MEM,
                WATTS,
                CELSIUS,
                new Column("PODS", 2, false)),
            nodes.stream()
                .map(row ->
                    List.of(
                        Cell.of(row.node()),
                        Cell.of(String.valueOf(row.gpus())),
                        Cell.of(bar(row.utilisationPercent())),
                        Cell.of(memory(row.memoryUsedMib(), row.memoryMib())),
                        Cell.of(whole(row.watts())),
                        Cell.of(whole(row.celsius())),
                        Cell.of(String.valueOf(row.pods()))))
                .toList())
        .print(screen);
    problems(screen, rows);
  }

  public static void pods(Screen screen, List<PodUseRow> pods, List<UseRow> rows) {
    new Table(
            List.of(
                new Column("NAMESPACE", 0, true),
                PODS,
                NODE,
                new Column("GPUS", 0, true),
                UTIL,
                MEM),
            pods.stream()
                .map(row ->
                    List.of(
                        Cell.of(row.namespace()),
                        Cell.of(row.pod()),
                        Cell.of(row.node()),
                        Cell.of(String.join(",", row.gpus())),
                        Cell.of(
                            marked(
                                row.utilisationPercent().map(UsePrint::percent),
                                row.utilisationOf())),
                        Cell.of(marked(row.memoryUsedMib().map(UsePrint::gib), row.memoryOf()))))
                .toList())
        .print(screen);
    explain(
        screen,
        pods,
        Measure.ESTIMATE,
        "~  ",
        "estimate of what the pod uses of a GPU that pods share");
    explain(
        screen,
        pods,
        Measure.WHOLE_GPU,
        "!  ",
        "of the whole GPU, that is of all pods that share it: there is no estimate");
    problems(screen, rows);
  }

  private static void explain(
      Screen screen, List<PodUseRow> pods, Measure measure, String mark, String text) {
    if (pods.stream().anyMatch(it -> it.utilisationOf() == measure || it.memoryOf() == measure)) {
      screen.line();
      screen.paragraph(mark, Style.PLAIN, text);
    }
  }

  /// GPUs that pods have and do not use.
  public static void idle(Screen screen, List<IdleRow> rows) {
    new Table(
            List.of(
                NODE,
                GPU,
                UTIL,
                MEM,
                new Column("IDLE", 0, false),
                PODS,
                new Column("OWNER", 2, true)),
            rows.stream()
                .map(row ->
                    List.of(
                        Cell.of(row.node()),
                        Cell.of(row.gpu()),
                        Cell.of(row.utilisationPercent().map(UsePrint::percent).orElse(UNKNOWN)),
                        Cell.of(
                            marked(
                                row.memoryUsedMib().map(UsePrint::gib),
                                row.shared() ? Measure.ESTIMATE : Measure.POD)),
                        Cell.of(
                            (row.atLeast() ? "≥" : "")
                                + Words.time(Duration.ofSeconds(row.idleSeconds()))),
                        Cell.of(row.namespace() + "/" + row.pod()),
                        Cell.of(row.owner())))
                .toList())
        .print(screen);
    if (rows.stream().anyMatch(IdleRow::shared)) {
      screen.line();
      screen.paragraph(
          "~  ",
          Style.PLAIN,
          "estimate of the pod's part of a GPU that pods share; IDLE and UTIL are of the whole GPU");
    }
  }

  /// One line for each problem, with the nodes that have it.
  private static void problems(Screen screen, List<UseRow> rows) {
    var byProblem =
        rows.stream()
            .filter(it -> !it.problem().isEmpty())
            .collect(
                Collectors.groupingBy(
                    UseRow::problem,
                    TreeMap::new,
                    Collectors.mapping(UseRow::node, Collectors.toCollection(TreeSet::new))));
    if (!byProblem.isEmpty()) {
      screen.line();
      byProblem.forEach((problem, nodes) ->
          screen.paragraph(Words.some(List.copyOf(nodes)) + ": ", "  ", Style.BAD, problem));
    }
  }

  private static String marked(Optional<String> value, Measure of) {
    return value
        .map(it ->
            switch (of) {
              case POD -> it;
              case ESTIMATE -> "~" + it;
              case WHOLE_GPU -> it + " !";
            })
        .orElse(UNKNOWN);
  }

  /// Such as `▇▇▇▇ 50%`.
  private static String bar(Optional<Double> percent) {
    return percent
        .map(it -> {
          int filled = (int) Math.round(Math.clamp(it, 0, PERCENT) / PERCENT * BAR);
          return "▇".repeat(filled) + " ".repeat(BAR - filled) + "%5s".formatted(percent(it));
        })
        .orElse(UNKNOWN);
  }

  private static String percent(double value) {
    return Math.round(value) + "%";
  }

  private static String memory(Optional<Double> used, Optional<Double> all) {
    return used.map(it ->
            all.map(of -> String.format(Locale.ROOT, "%.1f/", it / MIB_OF_GIB) + gib(of))
                .orElseGet(() -> gib(it)))
        .orElse(UNKNOWN);
  }

  private static String gib(double mib) {
    return String.format(Locale.ROOT, "%.1f GiB", mib / MIB_OF_GIB);
  }

  private static String whole(Optional<Double> value) {
    return value.map(it -> String.valueOf(Math.round(it))).orElse(UNKNOWN);
  }
}
