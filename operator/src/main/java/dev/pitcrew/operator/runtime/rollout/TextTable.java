package dev.pitcrew.operator.runtime.rollout;

import java.util.List;
import java.util.stream.IntStream;

/// Columns as kubectl prints them: three spaces between, the last one as long as it is, a dash for
/// what is empty.
record TextTable(List<String> header, List<List<String>> rows) {

  String text() {
    List<List<String>> all =
        IntStream.rangeClosed(0, rows.size())
            .mapToObj(i -> i == 0 ? header : rows.get(i - 1))
            .toList();
    int[] widths =
        IntStream.range(0, header.size())
            .map(column -> all.stream().mapToInt(row -> cell(row, column).length()).max().orElse(0))
            .toArray();
    var text = new StringBuilder();
    for (List<String> row : all) {
      text.append(line(row, widths)).append('\n');
    }
    return text.toString();
  }

  private static String line(List<String> row, int[] widths) {
    var line = new StringBuilder();
    for (int column = 0; column < widths.length; column++) {
      String cell = cell(row, column);
      line.append(cell);
      if (column < widths.length - 1) {
        line.append(" ".repeat(widths[column] - cell.length() + 3));
      }
    }
    return line.toString();
  }

  private static String cell(List<String> row, int column) {
    return row.get(column).isEmpty() ? "-" : row.get(column);
  }
}
