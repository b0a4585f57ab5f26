package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.RolloutForecast;
import dev.pitcrew.cli.plan.RolloutReport;
import dev.pitcrew.cli.plan.RolloutReport.Row;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.time.Instant;
import java.util.List;

/// How far a roll-out is, and what it would do.
public final class RolloutPrint {
  private static final List<Column> STATUS =
      List.of(
          new Column("NODE", 0, true),
          new Column("PHASE", 0, false),
          new Column("FOR", 2, false),
          new Column("DEADLINE", 3, false),
          new Column("BLOCKER", 1, true));

  private static final List<Column> MORE =
      List.of(
          new Column("DRIVER", 4, false),
          new Column("WANTED", 5, false),
          new Column("NEXT", 6, true));

  private static final List<Column> PLAN =
      List.of(
          new Column("BATCH", 0, false),
          new Column("NODE", 0, true),
          new Column("GROUP", 3, false),
          new Column("DRIVER", 4, false),
          new Column("WANTED", 2, false),
          new Column("WAITS FOR", 1, true));

  private static final List<Column> PLAN_MORE =
      List.of(new Column("NOT BEFORE", 5, false), new Column("STATE", 6, false));

  private RolloutPrint() {}

  /// @param wide with nodes that are done, versions and what happens next
  public static void status(Screen screen, RolloutReport report, boolean wide, Instant now) {
    screen.paragraph("", isBad(report) ? Style.BAD : Style.PLAIN, report.summary());
    if (!report.changes().isEmpty()) {
      screen.paragraph("Driver  ", Style.PLAIN, Words.some(report.changes()));
    }
    List<Row> rows = report.nodes().stream().filter(it -> wide || !it.isDone()).toList();
    if (rows.isEmpty()) {
      return;
    }
    screen.line();
    new Table(
            wide ? Table.joined(STATUS, MORE) : STATUS,
            rows.stream()
                .map(row ->
                    wide
                        ? Table.joined(
                            cells(row, now),
                            List.of(
                                Cell.of(row.driver()), Cell.of(row.wanted()), Cell.of(row.next())))
                        : cells(row, now))
                .toList())
        .print(screen);
  }

  private static boolean isBad(RolloutReport report) {
    return !report.halt().isEmpty()
        || !report.refusal().isEmpty()
        || report.nodes().stream().anyMatch(Row::isFailed);
  }

  private static List<Cell> cells(Row row, Instant now) {
    return List.of(
        Cell.of(row.node()),
        new Cell(row.phase(), row.isFailed() ? Style.BAD : Style.PLAIN),
        Cell.of(Words.age(row.since(), now)),
        Cell.of(row.deadline()),
        Cell.of(row.blocker()));
  }

  /// A change while it is watched.
  public static void change(Screen screen, Row row) {
    screen.paragraph(
        "",
        row.isFailed() ? Style.BAD : Style.PLAIN,
        "%s   %s   %s%s"
            .formatted(
                row.since(),
                row.node(),
                row.phase(),
                row.blocker().isEmpty() ? "" : ": " + row.blocker()));
  }

  /// @param wide with the earliest time and today's state of each node
  public static void plan(Screen screen, RolloutForecast forecast, boolean wide) {
    screen.paragraph("", Style.PLAIN, forecast.summary());
    if (!forecast.plan().isEmpty()) {
      screen.line();
      new Table(
              wide ? Table.joined(PLAN, PLAN_MORE) : PLAN,
              forecast.plan().stream()
                  .map(it ->
                      wide
                          ? Table.joined(
                              cells(it), List.of(Cell.of(it.notBefore()), Cell.of(it.state())))
                          : cells(it))
                  .toList())
          .print(screen);
      screen.line();
    }
    forecast.plan().stream()
        .filter(it -> !it.heldUpBy().isEmpty())
        .forEach(it ->
            screen.paragraph(
                "held up: ", Style.PLAIN, "node %s: %s".formatted(it.node(), it.heldUpBy())));
    forecast.notes().forEach(it -> screen.paragraph("", Style.PLAIN, it));
  }

  private static List<Cell> cells(RolloutForecast.Row row) {
    return List.of(
        Cell.of(row.batch() < 0 ? "never" : row.batch() == 0 ? "now" : String.valueOf(row.batch())),
        Cell.of(row.node()),
        Cell.of(row.group()),
        Cell.of(row.driver()),
        Cell.of(row.wanted()),
        Cell.of(row.waitsFor()));
  }
}
