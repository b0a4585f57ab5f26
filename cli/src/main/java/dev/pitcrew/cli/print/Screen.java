package dev.pitcrew.cli.print;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// Prints lines that fit the terminal.
public final class Screen {
  /// The cursor to the first column of the first line, and nothing from there on.
  private static final String CLEAR = "\u001b[H\u001b[J";

  private final PrintStream out;
  private final Terminal terminal;

  public Screen(PrintStream out, Terminal terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  public int width() {
    return terminal.width();
  }

  public void line() {
    out.println();
  }

  /// A line in one style, cut to the width.
  void line(Style style, String text) {
    out.println(styled(style, cut(printable(text), terminal.width())));
  }

  /// Text below which its other lines are indented.
  ///
  /// @param head what stands before the first line
  public void paragraph(String head, Style style, String text) {
    paragraph(head, " ".repeat(head.length()), style, text);
  }

  void paragraph(String first, String others, Style style, String text) {
    String begin = first;
    for (String line : wrapped(printable(text), terminal.width() - first.length())) {
      out.println(printable(begin) + styled(style, line));
      begin = others;
    }
  }

  /// Lines of which the first has a head, and the others begin below its text.
  void list(String head, Style style, List<String> lines) {
    String begin = head;
    for (String line : lines) {
      paragraph(begin, style, line);
      begin = " ".repeat(head.length());
    }
  }

  /// Makes the terminal empty; a file or a pipe gets a blank line.
  public void clear() {
    out.print(Terminal.isInteractive() ? CLEAR : System.lineSeparator());
  }

  /// A name for programs, which is never cut.
  public void name(String name) {
    out.println(Printable.of(name));
  }

  /// Text as it is, such as JSON.
  public void raw(String text) {
    out.print(text);
    out.flush();
  }

  String styled(Style style, String text) {
    return terminal.colour() ? style.apply(text) : text;
  }

  String printable(String text) {
    String printable = Printable.of(text);
    return terminal.unicode()
        ? printable
        : printable
            .replace("×", "x")
            .replace("≥", ">=")
            .replace("▇", "#")
            .replace("°C", "C")
            .replace("…", ".")
            .replace("├─", "|-")
            .replace("│", "|")
            .replace("✔", "+")
            .replace("✘", "x");
  }

  static String cut(String text, int width) {
    return text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
  }

  /// Words that are longer than a line are cut into pieces, so that nothing is lost.
  static List<String> wrapped(String text, int width) {
    var lines = new ArrayList<String>();
    var line = new StringBuilder();
    for (String word : text.split(" +", -1)) {
      String rest = word;
      if (!line.isEmpty() && line.length() + 1 + rest.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      while (line.isEmpty() && rest.length() > width) {
        lines.add(rest.substring(0, width));
        rest = rest.substring(width);
      }
      line.append(line.isEmpty() ? "" : " ").append(rest);
    }
    lines.add(line.toString());
    return lines;
  }
}
