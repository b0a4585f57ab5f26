package dev.pitcrew.testbed.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// What the watcher of the demo sees: headings, indented lines and tables, and while something
/// takes its time one line that is overwritten (a terminal) or a line now and then (a file).
final class Screen {
  /// In characters, so that it fits half of a wide monitor.
  private static final int WIDTH = 110;

  private static final String INDENT = "   ";
  private static final String ERASE = "\r\033[K";
  private final PrintWriter out;
  private final boolean isTerminal;
  private final ReentrantLock lock = new ReentrantLock();

  Screen(PrintWriter out, boolean isTerminal) {
    this.out = out;
    this.isTerminal = isTerminal;
  }

  boolean isTerminal() {
    return isTerminal;
  }

  /// A line at the left edge, after an empty one.
  void heading(String text) {
    print(Stream.of("", text));
  }

  /// Indented text, broken at spaces.
  void text(String text) {
    print(Words.wrapped(text, room()).stream().map(INDENT::concat));
  }

  /// One indented line, cut off where it is too long.
  void line(String text) {
    print(Stream.of(INDENT + Words.shortened(text, room())));
  }

  void blank() {
    print(Stream.of(""));
  }

  /// Lines of someone else, such as a log, exactly as they are.
  void quote(String lines) {
    print(lines.lines());
  }

  /// The output of a container: those lines that are `shown`.
  ///
  /// @param started how long its pod took to run
  void container(Duration started, List<String> words, Pattern shown) {
    line("It runs after %s; its container says:".formatted(Words.of(started)));
    blank();
    words.stream().filter(shown.asMatchPredicate()).forEach(this::line);
    blank();
  }

  /// An indented table, after an empty line.
  void table(Table table) {
    var lines = table.lines(room()).stream().map(INDENT::concat);
    print(Stream.concat(Stream.of(""), lines));
  }

  /// Facts with their names, aligned.
  void facts(List<Fact> facts) {
    var first = facts.getFirst();
    var rest = facts.stream().skip(1).map(fact -> List.of(fact.name(), fact.value()));
    var table = Table.of(List.of(first.name(), first.value()), rest);
    print(table.lines(room()).stream().map(INDENT::concat));
  }

  /// Shows `text` from the third second on, until it is closed.
  Waiting waiting(Supplier<String> text) {
    return new Waiting(this, text);
  }

  /// How a wait goes on; takes the place of the former such line on a terminal.
  void progress(String text) {
    if (isTerminal) {
      write(ERASE + INDENT + Words.shortened(text, room()));
    } else {
      line(text);
    }
  }

  /// Ends the line that `progress` overwrites.
  void erase() {
    if (isTerminal) {
      write(ERASE);
    }
  }

  private static int room() {
    return WIDTH - INDENT.length();
  }

  private void print(Stream<String> lines) {
    var text = new StringBuilder(isTerminal ? ERASE : "");
    lines.forEach(line -> text.append(line).append(System.lineSeparator()));
    write(text.toString());
  }

  private void write(String text) {
    lock.lock();
    try {
      out.print(text);
      out.flush();
    } finally {
      lock.unlock();
    }
  }

  /// A named fact.
  record Fact(String name, String value) {}
}
