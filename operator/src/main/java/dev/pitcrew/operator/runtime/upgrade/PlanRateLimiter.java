package dev.pitcrew.operator.runtime.upgrade;

import java.time.Duration;
import java.util.function.LongSupplier;

/// Limits the rate of plans. A plan costs more the more nodes there are, and while thousands of
/// nodes come up, changes arrive all the time: after each plan, planning rests for five times as
/// long as the plan took, so that it uses no more than a sixth of a processor. Changes that arrive
/// after that rest are planned at once.
///
/// A place that becomes free is planned for at once as well, since the next node waits until then:
/// a rest as long as the plans took is due only where plans follow each other so closely that more
/// than [#OWED_NANOS] of it is owed.
///
/// One thread makes plans; others ask how long to wait.
final class PlanRateLimiter {
  private static final int REST = 5;
  private static final int REST_FOR_PLACES = 1;
  private static final long OWED_NANOS = Duration.ofMillis(250).toNanos();

  /// @param paidNanos when all rest that is due for places is over
  private record Plan(long endNanos, long lengthNanos, long paidNanos) {}

  private final LongSupplier clock;
  private volatile Plan last;
  private volatile long beginNanos;
  private volatile boolean isPlaceFree;

  PlanRateLimiter() {
    this(System::nanoTime);
  }

  /// @param clock nanoseconds from any moment on
  PlanRateLimiter(LongSupplier clock) {
    this.clock = clock;
    long now = clock.getAsLong();
    this.last = new Plan(now, 0, now);
  }

  /// A plan is begun: the fleet is about to be read.
  void begin() {
    beginNanos = clock.getAsLong();
    isPlaceFree = false;
  }

  /// It has been made.
  void planned() {
    long now = clock.getAsLong();
    long length = now - beginNanos;
    long owed = Math.max(0, last.paidNanos() - beginNanos);
    last = new Plan(now, length, beginNanos + owed + (1 + REST_FOR_PLACES) * length);
  }

  /// How long the next plan should wait.
  Duration left() {
    return leftAtLeast(Duration.ZERO);
  }

  /// The same for changes that may wait that long in any case.
  Duration leftAtLeast(Duration least) {
    Plan plan = last;
    Duration left = until(plan.endNanos() + REST * plan.lengthNanos());
    return left.compareTo(least) < 0 ? least : left;
  }

  /// The same where a place got free.
  Duration leftForPlaces() {
    return until(last.paidNanos() - OWED_NANOS);
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

  private Duration until(long nanos) {
    return Duration.ofNanos(Math.max(0, nanos - clock.getAsLong()));
  }
}
