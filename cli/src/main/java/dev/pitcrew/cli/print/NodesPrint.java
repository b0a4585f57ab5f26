package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.NodeRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.time.Instant;
import java.util.List;

/// One line a node.
public final class NodesPrint {
  private static final List<Column> COLUMNS =
      List.of(
          new Column("NAME", 0, true),
          new Column("PRODUCT", 3, true),
          new Column("GPUS", 0, false),
          new Column("FREE", 0, true),
          new Column("DRIVER", 4, false),
          new Column("HEALTH", 2, false),
          new Column("READY", 0, false),
          new Column("REASON", 1, true));

  private static final List<Column> MORE =
      List.of(
          new Column("NODE", 5, false),
          new Column("ROLLOUT", 6, true),
          new Column("AGE", 7, false),
          new Column("MESSAGE", 8, true));

  private NodesPrint() {}

  public static void print(Screen screen, List<NodeRow> rows, boolean wide, Instant now) {
    new Table(
            wide ? Table.joined(COLUMNS, MORE) : COLUMNS,
            rows.stream()
                .map(row -> wide ? Table.joined(cells(row), more(row, now)) : cells(row))
                .toList())
        .print(screen);
  }

  private static List<Cell> cells(NodeRow row) {
    return List.of(
        Cell.of(row.name()),
        Cell.of(row.product()),
        Cell.of(String.valueOf(row.gpus())),
        Cell.of(row.free()),
        Cell.of(row.driver()),
        new Cell(row.health(), row.health().equals("Healthy") ? Style.PLAIN : Style.BAD),
        new Cell(row.ready() ? "True" : "False", row.ready() ? Style.GOOD : Style.BAD),
        Cell.of(row.reason()));
  }

  private static List<Cell> more(NodeRow row, Instant now) {
    return List.of(
        Cell.of(row.status()),
        Cell.of(row.rollout()),
        Cell.of(Words.age(row.created(), now)),
        Cell.of(row.ready() ? "" : row.message()));
  }
}
