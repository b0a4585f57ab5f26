package dev.pitcrew.cli.print;

import dev.pitcrew.cli.plan.ImageRow;
import dev.pitcrew.cli.plan.Words;
import dev.pitcrew.cli.print.Table.Cell;
import dev.pitcrew.cli.print.Table.Column;
import java.util.List;

/// One line an image.
public final class ImagesPrint {
  private static final int SHORT = "sha256:".length() + 12;

  private static final List<Column> COLUMNS =
      List.of(
          new Column("IMAGE", 0, true),
          new Column("DIGEST", 1, false),
          new Column("NODES", 2, false),
          new Column("USED BY", 3, true));

  private ImagesPrint() {}

  /// @param wide with whole digests and all users
  public static void print(Screen screen, List<ImageRow> rows, boolean wide) {
    new Table(
            COLUMNS,
            rows.stream()
                .map(it ->
                    List.of(
                        Cell.of(it.image()),
                        Cell.of(digest(it, wide)),
                        Cell.of(String.valueOf(it.nodes())),
                        Cell.of(wide ? String.join(", ", it.usedBy()) : Words.some(it.usedBy()))))
                .toList())
        .print(screen);
  }

  private static String digest(ImageRow row, boolean wide) {
    if (wide) {
      return String.join(", ", row.digests());
    }
    return row.digests().size() > 1
        ? row.digests().size() + " of them"
        : row.digests().stream()
            .map(it -> it.substring(0, Math.min(it.length(), SHORT)))
            .findFirst()
            .orElse("");
  }
}
