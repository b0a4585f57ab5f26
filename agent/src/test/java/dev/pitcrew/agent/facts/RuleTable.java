package dev.pitcrew.agent.facts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A table of the rules that labels follow: a line of column names, and a line for each row.
record RuleTable(List<Row> rows) {
  private static final String SEPARATOR = "\\|";

  /// The cells of a row by the names of their columns.
  record Row(Map<String, String> cells) {
    String at(String column) {
      return Objects.requireNonNull(cells.get(column), column);
    }

    boolean has(Map<String, String> wanted) {
      return cells.entrySet().containsAll(wanted.entrySet());
    }

    @Override
    public String toString() {
      return String.join(" ", cells.values());
    }
  }

  static RuleTable read(String name) {
    List<String> lines =
        text("/labels/" + name).lines().filter(line -> !line.startsWith("#")).toList();
    String[] columns = lines.getFirst().split(SEPARATOR, -1);
    return new RuleTable(
        lines.stream().skip(1).map(line -> row(columns, line.split(SEPARATOR, -1))).toList());
  }

  private static Row row(String[] columns, String[] values) {
    var cells = new HashMap<String, String>();
    for (int i = 0; i < columns.length; i++) {
      cells.put(columns[i], values[i]);
    }
    return new Row(Map.copyOf(cells));
  }

  private static String text(String resource) {
    try (var stream = Objects.requireNonNull(RuleTable.class.getResourceAsStream(resource))) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// The only row with these values.
  Row row(Map<String, String> wanted) {
    List<Row> found = rows.stream().filter(row -> row.has(wanted)).toList();
    if (found.size() != 1) {
      throw new IllegalArgumentException(found.size() + " rows with " + wanted);
    }
    return found.getFirst();
  }
}
