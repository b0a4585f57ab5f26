package dev.pitcrew.operator.runtime.upgrade;

import java.time.Duration;

/// The rest between two plans. A plan costs more the more nodes there are, and while thousands of
/// them come up there is news all the time: after each plan five times as long as it took belongs
/// to others, so that no more than a sixth of a processor goes into planning. News that come after
/// that rest are planned at once. A place that got free waits no longer than the plan took: nodes
/// get free a few at a time, and the next one stands still until then.
///
/// Plans are made by one thread; others ask how long to wait.
final class Breath {
  private static final int REST = 5;
  private static final int REST_FOR_PLACES = 1;

  private record Plan(long endNanos, long lengthNanos) {}

  private volatile Plan last = new Plan(System.nanoTime(), 0);
  private volatile long beginNanos;
  private volatile boolean isPlaceFree;

  /// A plan is begun: the fleet is about to be read.
  void begin() {
    beginNanos = System.nanoTime();
    isPlaceFree = false;
  }

  /// It has been made.
  void planned() {
    long now = System.nanoTime();
    last = new Plan(now, now - beginNanos);
  }

  /// How long the next plan should wait.
  Duration left() {
    return leftAtLeast(Duration.ZERO);
  }

  /// The same for news that may wait that long in any case.
  Duration leftAtLeast(Duration least) {
    Duration left = leftOf(REST);
    return left.compareTo(least) < 0 ? least : left;
  }

  /// The same where a place got free.
  Duration leftForPlaces() {
    return leftOf(REST_FOR_PLACES);
  }

  /// A place got free.
  ///
  /// @return how long the next plan should wait
  Duration placeFreed() {
    isPlaceFree = true;
    return leftForPlaces();
  }

  /// Whether a place has got free since the fleet was read.
  boolean isPlaceFree() {
    return isPlaceFree;
  }

  private Duration leftOf(int times) {
    Plan plan = last;
    long until = plan.endNanos() + times * plan.lengthNanos();
    return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
  }
}
