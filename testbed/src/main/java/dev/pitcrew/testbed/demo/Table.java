package dev.pitcrew.testbed.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Rows under a header, in aligned columns. The last column is broken at spaces where the width is
/// used up.
///
/// @param header one title a column
/// @param rows each with one cell a column
record Table(List<String> header, List<List<String>> rows) {
  private static final int GAP = 2;
  private static final int NARROWEST = 20;

  Table {
    header = List.copyOf(header);
    rows = rows.stream().map(List::copyOf).toList();
    for (var row : rows) {
      if (row.size() != header.size()) {
        throw new IllegalArgumentException(
            "%s has %d cells under %d titles".formatted(row, row.size(), header.size()));
      }
    }
  }

  static Table of(List<String> header, Stream<List<String>> rows) {
    return new Table(header, rows.toList());
  }

  /// This table with at most `count` rows, and a word on the others.
  Table firstRows(int count) {
    if (rows.size() <= count) {
      return this;
    }
    var left = new ArrayList<>(rows.subList(0, count));
    var rest = new ArrayList<>(List.of("... and %d more".formatted(rows.size() - count)));
    IntStream.range(1, header.size()).forEach(_ -> rest.add(""));
    left.add(rest);
    return new Table(header, left);
  }

  /// The lines of the table, none of which ends with a space.
  ///
  /// @param width in characters; a word that is longer than its column is kept whole
  List<String> lines(int width) {
    var last = header.size() - 1;
    var widths = IntStream.range(0, last).mapToObj(this::widthOf).toList();
    var indent = widths.stream().mapToInt(each -> each + GAP).sum();
    var room = Math.max(NARROWEST, width - indent);
    return Stream.concat(Stream.of(header), rows.stream())
        .flatMap(row -> lines(row, widths, room))
        .toList();
  }

  private int widthOf(int column) {
    return Stream.concat(Stream.of(header), rows.stream())
        .mapToInt(row -> row.get(column).length())
        .max()
        .orElse(0);
  }

  private static Stream<String> lines(List<String> row, List<Integer> widths, int room) {
    var start = new StringBuilder();
    for (var column = 0; column < widths.size(); column++) {
      var cell = row.get(column);
      start.append(cell).append(" ".repeat(widths.get(column) + GAP - cell.length()));
    }
    var parts = Words.wrapped(row.getLast(), room);
    var below = " ".repeat(start.length());
    return IntStream.range(0, parts.size())
        .mapToObj(index -> ((index == 0 ? start : below) + parts.get(index)).stripTrailing());
  }
}
