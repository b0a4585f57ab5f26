package dev.pitcrew.core.log;

import java.util.Optional;
import java.util.logging.Level;

/// Levels by the names that zap gives them.
public final class LogLevel {
  private LogLevel() {}

  /// The least severe level that `--zap-log-level` lets through: `debug`, `info`, `error`, `panic`,
  /// or a positive number, where 1 is debug and anything above shows everything. Empty when the
  /// text is none of these.
  public static Optional<Level> parse(String text) {
    return switch (text) {
      case "debug", "1" -> Optional.of(Level.FINE);
      case "info" -> Optional.of(Level.INFO);
      case "error" -> Optional.of(Level.SEVERE);
      // Nothing of ours panics, so nothing is left to show.
      case "panic" -> Optional.of(Level.OFF);
      default -> text.matches("[1-9][0-9]{0,8}") ? Optional.of(Level.ALL) : Optional.empty();
    };
  }

  static String name(Level level) {
    if (level.intValue() >= Level.SEVERE.intValue()) {
      return "error";
    }
    if (level.intValue() >= Level.WARNING.intValue()) {
      return "warn";
    }
    return level.intValue() >= Level.INFO.intValue() ? "info" : "debug";
  }
}
