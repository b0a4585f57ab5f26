package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.core.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes what claims have left of an earlier process, once after the start. It is tried again
/// with back-off: for each try all parts of the agent close NVML for a moment.
///
/// Not thread-safe.
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  private static final Backoff RETRY = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5));

  private final LongSupplier nanoTime;
  private final ProblemLog problems = new ProblemLog(LOG);
  private boolean isOver;
  private int failures;
  private long nextNanos;

  /// @param nanoTime as [System#nanoTime]
  Recovery(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /// Does nothing once it has succeeded, and while it is not due again.
  ///
  /// @param recovery returns what is left, and why
  void run(Supplier<List<String>> recovery) {
    if (isOver || (failures > 0 && nanoTime.getAsLong() - nextNanos < 0)) {
      return;
    }
    List<String> left = recovery.get();
    problems.lines(left.stream().map("left of an earlier agent: %s"::formatted).toList());
    isOver = left.isEmpty();
    failures = isOver ? 0 : failures + 1;
    nextNanos = nanoTime.getAsLong() + (isOver ? 0 : RETRY.ceiling(failures).toNanos());
  }

  /// From now on another process may leave something.
  void restart() {
    isOver = false;
    failures = 0;
  }

  /// @param otherwise where nothing is to be tried again, or later than that
  Duration untilNext(Duration otherwise) {
    Duration left = Duration.ofNanos(Math.max(0, nextNanos - nanoTime.getAsLong()));
    return failures > 0 && left.compareTo(otherwise) < 0 ? left : otherwise;
  }
}
