package dev.pitcrew.cli.print;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Columns that are made to fit: first the cells that may be cut are, then columns that are less
/// needed are left out.
public final class Table {
  private static final String GAP = "  ";
  private static final int SHORTEST = 8;

  /// @param rank the higher, the sooner it is left out; 0 for never
  public record Column(String title, int rank, boolean mayBeCut) {}

  public record Cell(String text, Style style) {
    public static Cell of(String text) {
      return new Cell(text, Style.PLAIN);
    }
  }

  private final List<Column> columns;
  private final List<List<Cell>> rows;

  public Table(List<Column> columns, List<List<Cell>> rows) {
    this.columns = List.copyOf(columns);
    this.rows = List.copyOf(rows);
  }

  static <T> List<T> joined(List<T> first, List<T> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  public void print(Screen screen) {
    var shown = new ArrayList<>(IntStream.range(0, columns.size()).boxed().toList());
    int[] widths = widths(screen);
    while (!fits(shown, widths, screen.width()) && hideLeast(shown)) {
      widths = widths(screen);
    }
    int[] cut = widths;
    screen.line(
        Style.BOLD,
        line(screen, shown, cut, it -> Cell.of(columns.get(it).title())).stripTrailing());
    for (List<Cell> row : rows) {
      screen.raw(line(screen, shown, cut, row::get).stripTrailing() + System.lineSeparator());
    }
  }

  /// @return whether there was one that may be left out
  private boolean hideLeast(List<Integer> shown) {
    Optional<Integer> least =
        shown.stream()
            .filter(it -> columns.get(it).rank() > 0)
            .max(Comparator.comparingInt(it -> columns.get(it).rank()));
    least.ifPresent(it -> shown.removeIf(it::equals));
    return least.isPresent();
  }

  private int[] widths(Screen screen) {
    return IntStream.range(0, columns.size())
        .map(it ->
            Math.max(
                columns.get(it).title().length(),
                rows.stream()
                    .mapToInt(row -> screen.printable(row.get(it).text()).length())
                    .max()
                    .orElse(0)))
        .toArray();
  }

  /// Cuts the widest column again and again.
  private boolean fits(List<Integer> shown, int[] widths, int limit) {
    int total = shown.stream().mapToInt(it -> widths[it] + GAP.length()).sum() - GAP.length();
    while (total > limit) {
      Optional<Integer> widest =
          shown.stream()
              .filter(it -> columns.get(it).mayBeCut())
              .filter(it -> widths[it] > Math.max(SHORTEST, columns.get(it).title().length()))
              .max(Comparator.comparingInt(it -> widths[it]));
      if (widest.isEmpty()) {
        return false;
      }
      widths[widest.get()]--;
      total--;
    }
    return true;
  }

  private static String line(
      Screen screen, List<Integer> shown, int[] widths, IntFunction<Cell> cells) {
    var line = new StringBuilder();
    for (int column : shown) {
      Cell cell = cells.apply(column);
      String text = Screen.cut(screen.printable(cell.text()), widths[column]);
      line.append(screen.styled(cell.style(), text))
          .append(" ".repeat(Math.max(0, widths[column] - text.length())))
          .append(GAP);
    }
    return line.toString();
  }
}
