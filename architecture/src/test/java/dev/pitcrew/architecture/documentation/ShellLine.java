package dev.pitcrew.architecture.documentation;

import java.util.ArrayList;
import java.util.List;

/// One command of a shell, as words. Variables and substitutions stay as they are written.
final class ShellLine {
  private ShellLine() {}

  /// The commands of some lines: those after a `$`, where one has it, since the others are what was
  /// printed then. A backslash at its end continues a line.
  static List<String> commands(List<String> lines) {
    boolean isSession = lines.stream().anyMatch(line -> line.startsWith("$ "));
    var commands = new ArrayList<String>();
    var open = new StringBuilder();
    for (String line : lines) {
      if (open.isEmpty() && isSession && !line.startsWith("$ ")) {
        continue;
      }
      open.append(line.startsWith("$ ") ? line.substring(2) : line.strip());
      if (line.endsWith("\\")) {
        open.setLength(open.length() - 1);
        open.append(' ');
      } else {
        commands.add(open.toString());
        open.setLength(0);
      }
    }
    return commands;
  }

  /// The words up to a comment, a redirection, a pipe or the next command. Square brackets around
  /// words that may be left out do not count.
  static List<String> words(String command) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    boolean isOpen = false;
    char quote = 0;
    for (char c : (command + " ").toCharArray()) {
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
        if (quote != 0) {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        isOpen = true;
      } else if (Character.isWhitespace(c)) {
        if (isOpen) {
          words.add(word.toString());
        }
        word.setLength(0);
        isOpen = false;
      } else if (">|&;".indexOf(c) >= 0 || (c == '#' && !isOpen)) {
        return words;
      } else if (c != '[' && c != ']') {
        word.append(c);
        isOpen = true;
      }
    }
    return words;
  }
}
