package dev.pitcrew.core.log;

import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;

/// Time, level, logger and message between tabs, key/values in front of the message, a stack trace
/// on the lines below.
final class ConsoleFormatter extends Formatter {
  private final TimeEncoding timeEncoding;

  ConsoleFormatter(TimeEncoding timeEncoding) {
    this.timeEncoding = timeEncoding;
  }

  @Override
  public String format(LogRecord record) {
    String line =
        String.join(
            "\t",
            timeEncoding.encode(record.getInstant()),
            LogLevel.name(record.getLevel()).toUpperCase(Locale.ROOT),
            JsonFormatter.loggerName(record),
            formatMessage(record));
    return record.getThrown() == null
        ? line + "\n"
        : line + "\n" + JsonFormatter.stackTrace(record.getThrown()) + "\n";
  }
}
