package dev.pitcrew.core.log;

import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Sets up the logging of the process.
public final class Logging {
  private Logging() {}

  /// Replaces whatever was set up: all loggers write to standard error. `context` gives each JSON
  /// line the fields of the logging thread; `Map::of` where there are none.
  public static void configure(LogOptions options, Supplier<Map<String, String>> context) {
    Logger root = Logger.getLogger("");
    for (Handler former : root.getHandlers()) {
      root.removeHandler(former);
    }
    Handler handler = new ConsoleHandler();
    handler.setFormatter(formatter(options, context));
    handler.setLevel(Level.ALL);
    root.setLevel(options.level());
    root.addHandler(handler);
  }

  private static Formatter formatter(LogOptions options, Supplier<Map<String, String>> context) {
    return switch (options.encoder()) {
      case JSON -> new JsonFormatter(options.timeEncoding(), context);
      case CONSOLE -> new ConsoleFormatter(options.timeEncoding());
    };
  }
}
