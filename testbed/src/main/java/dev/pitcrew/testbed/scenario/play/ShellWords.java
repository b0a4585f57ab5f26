package dev.pitcrew.testbed.scenario.play;

import java.util.ArrayList;
import java.util.List;

/// Splits a command line into words as a shell does: blanks separate, quotes join, a backslash
/// outside single quotes takes the next character as it is. Nothing is expanded.
final class ShellWords {
  private final List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private final String line;
  private boolean isInWord;
  private char quote;

  private ShellWords(String line) {
    this.line = line;
  }

  /// @throws IllegalArgumentException where a quote is not closed
  static List<String> of(String line) {
    var words = new ShellWords(line);
    words.split();
    return words.words;
  }

  private void split() {
    for (var index = 0; index < line.length(); index++) {
      var character = line.charAt(index);
      if (isEscape(character, index)) {
        index++;
        add(line.charAt(index));
      } else if (quote != 0) {
        quoted(character);
      } else {
        plain(character);
      }
    }
    if (quote != 0) {
      throw new IllegalArgumentException("close the quote " + quote + " in: " + line);
    }
    endWord();
  }

  /// Between double quotes a backslash is special only before another one and before a quote.
  private boolean isEscape(char character, int index) {
    if (character != '\\' || quote == '\'' || index + 1 == line.length()) {
      return false;
    }
    var next = line.charAt(index + 1);
    return quote == 0 || next == '"' || next == '\\';
  }

  private void quoted(char character) {
    if (character == quote) {
      quote = 0;
    } else {
      add(character);
    }
  }

  private void plain(char character) {
    if (character == '\'' || character == '"') {
      quote = character;
      isInWord = true;
    } else if (Character.isWhitespace(character)) {
      endWord();
    } else {
      add(character);
    }
  }

  private void add(char character) {
    word.append(character);
    isInWord = true;
  }

  private void endWord() {
    if (isInWord) {
      words.add(word.toString());
    }
    word.setLength(0);
    isInWord = false;
  }
}
