package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Waiting for what can only be looked at: files of other processes and the audit log.
final class Await {
  private static final Duration POLL = Duration.ofMillis(250);

  private Await() {}

  /// Returns as soon as `condition` holds.
  ///
  /// @return false when `limit` has passed first
  static boolean upTo(Duration limit, BooleanSupplier condition) {
    var end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      pause(POLL);
    }
    return true;
  }

  /// @throws TestbedException when `limit` has passed first; it says `problem`
  static void orFail(Duration limit, String problem, BooleanSupplier condition) {
    orFail(limit, () -> problem, condition);
  }

  /// @param problem is asked for only then
  /// @throws TestbedException when `limit` has passed first; it says `problem`
  static void orFail(Duration limit, Supplier<String> problem, BooleanSupplier condition) {
    if (!upTo(limit, condition)) {
      throw new TestbedException(problem.get() + " within " + limit.toSeconds() + " s");
    }
  }

  /// Lets time pass in which something is measured.
  static void pause(Duration duration) {
    try {
      Thread.sleep(duration);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while measuring", e);
    }
  }
}
