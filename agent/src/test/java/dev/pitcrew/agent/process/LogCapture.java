package dev.pitcrew.agent.process;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/// What a class logs from now on.
final class LogCapture extends Handler implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger logger;

  LogCapture(Class<?> type) {
    logger = Logger.getLogger(type.getName());
    logger.addHandler(this);
  }

  List<String> lines() {
    return lines;
  }

  @Override
  public void publish(LogRecord record) {
    lines.add(record.getMessage());
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    logger.removeHandler(this);
  }
}
