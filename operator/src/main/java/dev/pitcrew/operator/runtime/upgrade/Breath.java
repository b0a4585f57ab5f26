package dev.pitcrew.operator.runtime.upgrade;

import java.time.Duration;

/// The rest between two plans. A plan costs more the more nodes there are, and while thousands of
/// them come up there is news all the time: after each plan five times as long as it took belongs
/// to others, so that no more than a sixth of a processor goes into planning. News that come after
/// that rest are planned at once.
final class Breath {
  private static final int REST = 5;

  private volatile long untilNanos = System.nanoTime();

  /// A plan has been made.
  ///
  /// @param beginNanos when it was begun, by [System#nanoTime]
  void planned(long beginNanos) {
    long now = System.nanoTime();
    untilNanos = now + REST * (now - beginNanos);
  }

  /// How long the next plan should wait.
  Duration left() {
    return leftAtLeast(Duration.ZERO);
  }

  /// The same for news that may wait that long in any case.
  Duration leftAtLeast(Duration least) {
    return Duration.ofNanos(Math.max(least.toNanos(), untilNanos - System.nanoTime()));
  }
}
