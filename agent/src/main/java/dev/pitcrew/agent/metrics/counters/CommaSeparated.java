package dev.pitcrew.agent.metrics.counters;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Comma-separated values as dcgm-exporter's library reads them: `#` in the first column begins a
/// comment, empty lines are skipped, a field may be quoted, a quote in it is doubled and a line may
/// end in it.
///
/// @param broken where reading ended before the end of the text
record CommaSeparated(List<Row> rows, Optional<Broken> broken) {

  /// @param line where it begins, counted from 1
  record Row(int line, List<String> columns) {}

  record Broken(int line, String value, String meaning) {}

  static CommaSeparated parse(String text) {
    var reader = new Reader(text.replace("\r\n", "\n"));
    var rows = new ArrayList<Row>();
    while (reader.hasMore()) {
      reader.row().ifPresent(rows::add);
    }
    return new CommaSeparated(List.copyOf(rows), reader.broken);
  }

  private static final class Reader {
    private final String text;
    private int at;
    private int line = 1;
    private Optional<Broken> broken = Optional.empty();

    private Reader(String text) {
      this.text = text;
    }

    private boolean hasMore() {
      return broken.isEmpty() && at < text.length();
    }

    private Optional<Row> row() {
      if (text.charAt(at) == '#' || text.charAt(at) == '\n') {
        skipLine();
        return Optional.empty();
      }
      int begin = line;
      var columns = new ArrayList<String>();
      boolean isOver = false;
      while (!isOver && broken.isEmpty()) {
        columns.add(at < text.length() && text.charAt(at) == '"' ? quoted() : plain());
        isOver = at >= text.length() || text.charAt(at) == '\n';
        at++;
      }
      line++;
      return broken.isPresent() ? Optional.empty() : Optional.of(new Row(begin, columns));
    }

    private void skipLine() {
      int end = text.indexOf('\n', at);
      at = end < 0 ? text.length() : end + 1;
      line++;
    }

    private String plain() {
      int begin = at;
      while (at < text.length() && text.charAt(at) != ',' && text.charAt(at) != '\n') {
        if (text.charAt(at) == '"') {
          fail(
              begin,
              text.substring(begin, at).isBlank()
                  ? "a blank before the quote; begin the field with the quote"
                  : "a quote in a field that is not quoted; quote the whole field");
          return "";
        }
        at++;
      }
      return text.substring(begin, at);
    }

    private String quoted() {
      int begin = at;
      int beginLine = line;
      var value = new StringBuilder();
      at++;
      while (at < text.length()) {
        char now = text.charAt(at);
        if (now == '"' && at + 1 < text.length() && text.charAt(at + 1) == '"') {
          at++;
        } else if (now == '"') {
          at++;
          if (at < text.length() && text.charAt(at) != ',' && text.charAt(at) != '\n') {
            fail(begin, "text after the closing quote; double a quote that belongs to the field");
          }
          return value.toString();
        }
        line += now == '\n' ? 1 : 0;
        value.append(now);
        at++;
      }
      line = beginLine;
      fail(begin, "the quote is not closed; close it");
      return "";
    }

    private void fail(int begin, String meaning) {
      int end = text.indexOf('\n', begin);
      String rest = text.substring(begin, end < 0 ? text.length() : end);
      broken = Optional.of(new Broken(line, rest, meaning));
    }
  }
}
