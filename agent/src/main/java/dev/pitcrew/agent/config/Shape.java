package dev.pitcrew.agent.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// How a value is written, which decides how flags, variables and the file's types are read.
public enum Shape {
  TEXT,
  BOOL,
  NUMBER,
  DURATION,
  TEXT_LIST,
  NUMBER_LIST;

  /// The elements of a text on the command line or in a variable.
  List<String> split(String text) {
    return isList() ? Stream.of(text.split(",", -1)).map(String::strip).toList() : List.of(text);
  }

  /// The elements of a variable. NVIDIA's programs accept an empty one as a value for texts and
  /// booleans, and treat it as absent for numbers and durations.
  Optional<List<String>> fromVariable(String text) {
    if (!text.isEmpty()) {
      return Optional.of(split(text));
    }
    return switch (this) {
      case TEXT, TEXT_LIST -> Optional.of(List.of(""));
      case BOOL -> Optional.of(List.of("false"));
      case NUMBER, DURATION, NUMBER_LIST -> Optional.empty();
    };
  }

  /// The elements of a default; an empty text is an empty list.
  List<String> fromDefault(String text) {
    return isList() && text.isEmpty() ? List.of() : split(text);
  }

  boolean isList() {
    return this == TEXT_LIST || this == NUMBER_LIST;
  }
}
