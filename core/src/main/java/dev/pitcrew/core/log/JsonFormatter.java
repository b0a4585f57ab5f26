package dev.pitcrew.core.log;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/// One JSON object a line: `level`, `ts`, `logger`, `msg`, the key/values, what the thread's
/// context holds, and for an exception `error` and `stacktrace`. A key/value that carries one of
/// these names gets an underscore in front.
public final class JsonFormatter extends Formatter {
  private static final Set<String> OWN_KEYS =
      Set.of("level", "ts", "logger", "msg", "error", "stacktrace");

  private final TimeEncoding timeEncoding;
  private final Supplier<Map<String, String>> context;

  /// `context` is asked on the logging thread for each record, so that a mapped diagnostic context
  /// can be given.
  public JsonFormatter(TimeEncoding timeEncoding, Supplier<Map<String, String>> context) {
    this.timeEncoding = timeEncoding;
    this.context = context;
  }

  @Override
  public String format(LogRecord record) {
    var line = new JsonObject().string("level", LogLevel.name(record.getLevel()));
    String time = timeEncoding.encode(record.getInstant());
    if (timeEncoding.isNumeric()) {
      line.number("ts", time);
    } else {
      line.string("ts", time);
    }
    var event = LogEvent.of(formatMessage(record));
    line.string("logger", loggerName(record)).string("msg", event.message());
    fields(event)
        .forEach((key, value) -> line.value(OWN_KEYS.contains(key) ? "_" + key : key, value));
    if (record.getThrown() != null) {
      line.string("error", record.getThrown().toString());
      line.string("stacktrace", stackTrace(record.getThrown()));
    }
    return line.end() + "\n";
  }

  private Map<String, String> fields(LogEvent event) {
    Map<String, String> fields = new TreeMap<>(context.get());
    fields.putAll(event.fields());
    return fields;
  }

  static String loggerName(LogRecord record) {
    return record.getLoggerName() == null ? "" : record.getLoggerName();
  }

  static String stackTrace(Throwable thrown) {
    var text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString().stripTrailing();
  }
}
