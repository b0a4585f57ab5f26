package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.HealthRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.plan.XidAdvice;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.time.Instant;
import java.util.List;

/// GPUs that are not healthy, and what Xids mean.
public final class HealthPrint {
  private static final List<Column> COLUMNS =
      List.of(
          new Column("NODE", 0, true),
          new Column("GPU", 0, false),
          new Column("LEVEL", 0, false),
          new Column("FOR", 1, false),
          new Column("EVIDENCE", 0, true),
          new Column("NEXT", 2, true),
          new Column("PODS OF THE NODE", 3, true));

  private static final List<Column> MORE =
      List.of(
          new Column("PCI ADDRESS", 4, false),
          new Column("UUID", 5, false),
          new Column("PRODUCT", 6, true));

  private HealthPrint() {}

  /// @param wide with all evidence and what the GPU is
  public static void print(Screen screen, List<HealthRow> rows, boolean wide, Instant now) {
    new Table(
            wide ? Table.joined(COLUMNS, MORE) : COLUMNS,
            rows.stream()
                .map(row ->
                    wide
                        ? Table.joined(
                            cells(row, String.join("; ", row.evidence()), now), more(row))
                        : cells(row, row.evidence().stream().findFirst().orElse(""), now))
                .toList())
        .print(screen);
    screen.line();
    screen.paragraph("Next  ", Style.BOLD, "kubectl gpu explain node " + rows.getFirst().node());
  }

  private static List<Cell> cells(HealthRow row, String evidence, Instant now) {
    return List.of(
        Cell.of(row.node()),
        Cell.of(row.gpu().isEmpty() ? row.pciAddress() : row.gpu()),
        new Cell(row.level(), Style.BAD),
        Cell.of(Words.age(row.since(), now)),
        Cell.of(evidence),
        Cell.of(row.next()),
        Cell.of(row.pods().map(it -> it.isEmpty() ? "none" : Words.some(it)).orElse("?")));
  }

  private static List<Cell> more(HealthRow row) {
    return List.of(Cell.of(row.pciAddress()), Cell.of(row.uuid()), Cell.of(row.product()));
  }

  public static void print(Screen screen, XidAdvice advice) {
    screen.paragraph("Xid %-7d".formatted(advice.xid()), Style.BOLD, advice.meaning());
    if (!advice.mnemonic().isEmpty()) {
      screen.paragraph("Mnemonic   ", Style.PLAIN, advice.mnemonic());
      screen.paragraph(
          "Action     ",
          Style.PLAIN,
          advice.action().isEmpty() ? "none in NVIDIA's catalogue" : advice.action());
    }
    screen.paragraph(
        "Level      ",
        Style.PLAIN,
        advice.ignored()
            ? "ignored: an application causes it and the GPU survives; where DP_ENABLE_HEALTHCHECKS names it, "
                + advice.level()
            : advice.level());
    screen.list("Next step  ", Style.PLAIN, advice.next());
  }
}
