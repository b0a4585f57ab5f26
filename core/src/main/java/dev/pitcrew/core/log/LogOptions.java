package dev.pitcrew.core.log;

import java.util.logging.Level;

/// How a program logs.
///
/// @param level the least severe level that is shown
public record LogOptions(LogEncoder encoder, TimeEncoding timeEncoding, Level level) {

  /// For collectors, from info upwards.
  public static LogOptions production() {
    return new LogOptions(LogEncoder.JSON, TimeEncoding.RFC3339, Level.INFO);
  }

  /// For people, from debug upwards.
  public static LogOptions development() {
    return new LogOptions(LogEncoder.CONSOLE, TimeEncoding.ISO8601, Level.FINE);
  }
}
