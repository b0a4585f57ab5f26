package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.MigProfileRow;
import dev.pitcrew.cli.plan.MigRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.time.Instant;
import java.util.List;

/// How GPUs are divided.
public final class MigPrint {
  private static final List<Column> STATUS =
      List.of(
          new Column("NODE", 0, true),
          new Column("WANTED", 0, true),
          new Column("CURRENT", 1, true),
          new Column("STATE", 0, false),
          new Column("FOR", 2, false),
          new Column("WAITS FOR", 3, true));

  private static final List<Column> MORE =
      List.of(new Column("MESSAGE", 4, true), new Column("NEXT", 5, true));

  private static final List<Column> PROFILES =
      List.of(
          new Column("NODE", 0, true),
          new Column("PROFILE", 0, false),
          new Column("DEVICES", 0, false),
          new Column("GPUS", 2, false),
          new Column("FREE", 0, false),
          new Column("RESOURCE", 1, true));

  private MigPrint() {}

  /// @param wide with messages and what to do about each
  public static void status(Screen screen, List<MigRow> rows, boolean wide, Instant now) {
    new Table(
            wide ? Table.joined(STATUS, MORE) : STATUS,
            rows.stream()
                .map(row ->
                    wide
                        ? Table.joined(
                            cells(row, now), List.of(Cell.of(row.message()), Cell.of(row.next())))
                        : cells(row, now))
                .toList())
        .print(screen);
    rows.stream()
        .filter(it -> !it.ok())
        .findFirst()
        .ifPresent(it -> {
          screen.line();
          if (!it.message().isEmpty()) {
            screen.paragraph(it.node() + "  ", Style.PLAIN, it.message());
          }
          screen.paragraph("Next  ", Style.BOLD, it.next());
        });
  }

  private static List<Cell> cells(MigRow row, Instant now) {
    return List.of(
        Cell.of(row.node()),
        Cell.of(row.wanted()),
        Cell.of(row.current()),
        new Cell(row.state(), row.ok() ? Style.PLAIN : Style.BAD),
        Cell.of(Words.age(row.since(), now)),
        Cell.of(Words.some(row.waitsFor())));
  }

  public static void profiles(Screen screen, List<MigProfileRow> rows) {
    new Table(
            PROFILES,
            rows.stream()
                .map(row ->
                    List.of(
                        Cell.of(row.node()),
                        Cell.of(row.profile()),
                        Cell.of(String.valueOf(row.devices())),
                        Cell.of(String.valueOf(row.gpus())),
                        Cell.of(row.free()),
                        Cell.of(row.resource())))
                .toList())
        .print(screen);
  }
}
