package dev.pitcrew.core.log;

import java.util.logging.LogManager;

/// Keeps the handlers until the process has ended. The JDK's own log manager takes them away by a
/// shutdown hook, so that what a program says of its end is lost. A JVM uses it that is started
/// with `-Djava.util.logging.manager=dev.pitcrew.core.log.LastingLogs`.
public final class LastingLogs extends LogManager {

  /// Does nothing: only a shutdown calls it, since [Logging] replaces handlers without it.
  @Override
  public void reset() {}
}
