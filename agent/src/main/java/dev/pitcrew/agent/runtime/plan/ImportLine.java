package dev.pitcrew.agent.runtime.plan;

import java.util.List;
import java.util.Optional;
import org.tomlj.TomlPosition;

/// The one thing that is changed in containerd's own file: that it imports ours. Every other byte
/// stays as it is.
final class ImportLine {
  static final String KEY = "imports";
  private static final String VERSION = "version";

  /// Our file by name and no other, with a star: containerd does not start where a file that is
  /// imported without one is missing.
  private final String pattern;

  private final String dropInPath;

  ImportLine(String dropInPath) {
    this.dropInPath = dropInPath;
    int dot = dropInPath.lastIndexOf('.');
    this.pattern = dropInPath.substring(0, dot) + "*" + dropInPath.substring(dot);
  }

  /// Whether the file imports ours already, by whatever pattern.
  boolean isIn(TomlFile main) {
    return isAmong(Imports.of(main));
  }

  /// @param patterns absolute ones
  boolean isAmong(List<String> patterns) {
    return patterns.stream().anyMatch(path -> Imports.matches(path, dropInPath));
  }

  String addedTo(TomlFile main) {
    Optional<Integer> key = offset(main, KEY);
    if (key.isEmpty()) {
      return withLine(main);
    }
    var array = TextSpan.ofArray(main.text(), key.get());
    boolean isFirst = array.elements().isEmpty();
    int at = isFirst ? array.open() : array.elements().getLast().end();
    String element = isFirst ? TomlText.quoted(pattern) : ", " + TomlText.quoted(pattern);
    return inserted(main.text(), at, element);
  }

  /// A file that says nothing yet gets a version too.
  String newFile(long version) {
    return "%s = %d\n%s".formatted(VERSION, version, line("\n"));
  }

  /// Without our word, whatever else was written meanwhile.
  String removedFrom(TomlFile main) {
    Optional<Integer> key = offset(main, KEY);
    if (key.isEmpty()) {
      return main.text();
    }
    var array = TextSpan.ofArray(main.text(), key.get());
    List<TextSpan.Element> elements = array.elements();
    for (int i = 0; i < elements.size(); i++) {
      if (elements.get(i).value().equals(pattern)) {
        return elements.size() == 1
            ? withoutLine(main.text(), key.get(), array)
            : withoutElement(main.text(), elements, i);
      }
    }
    return main.text();
  }

  private String withLine(TomlFile main) {
    String text = main.text();
    String newLine = text.contains("\r\n") ? "\r\n" : "\n";
    Optional<Integer> version = offset(main, VERSION);
    if (version.isEmpty()) {
      return line(newLine) + text;
    }
    int end = text.indexOf('\n', version.get());
    return end < 0 ? text + newLine + line("") : inserted(text, end + 1, line(newLine));
  }

  private String line(String newLine) {
    return "%s = [%s]%s".formatted(KEY, TomlText.quoted(pattern), newLine);
  }

  private static String withoutLine(String text, int key, TextSpan array) {
    int end = text.indexOf('\n', array.close());
    return text.substring(0, key) + (end < 0 ? "" : text.substring(end + 1));
  }

  private static String withoutElement(String text, List<TextSpan.Element> elements, int i) {
    boolean isFirst = i == 0;
    int start = isFirst ? elements.get(i).start() : elements.get(i - 1).end();
    int end = isFirst ? elements.get(i + 1).start() : elements.get(i).end();
    return text.substring(0, start) + text.substring(end);
  }

  private static String inserted(String text, int at, String what) {
    return text.substring(0, at) + what + text.substring(at);
  }

  private static Optional<Integer> offset(TomlFile file, String key) {
    return Optional.ofNullable(file.parsed().inputPositionOf(List.of(key)))
        .map(position -> offset(file.text(), position));
  }

  private static int offset(String text, TomlPosition position) {
    int at = 0;
    for (int line = 1; line < position.line(); line++) {
      at = text.indexOf('\n', at) + 1;
    }
    return at + position.column() - 1;
  }
}
