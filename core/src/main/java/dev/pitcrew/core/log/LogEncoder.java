package dev.pitcrew.core.log;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// The shape of a log line: the values of `--zap-encoder`.
public enum LogEncoder {
  /// One object a line, for collectors.
  JSON,
  /// Tab-separated, for people.
  CONSOLE;

  /// Empty when the text is neither `json` nor `console`.
  public static Optional<LogEncoder> parse(String text) {
    return Arrays.stream(values())
        .filter(encoder -> encoder.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst();
  }
}
