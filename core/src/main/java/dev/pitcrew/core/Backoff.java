package dev.pitcrew.core;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long to wait after so many failures in a row: `base` at first, doubled with each, at most
/// `cap`. What many clients of one server do is drawn evenly from zero to that (full jitter), so
/// that those that failed at the same moment do not come back all at once.
public record Backoff(Duration base, Duration cap) {

  private static final int LARGEST_EXPONENT = 20;

  /// Draws the delay before the next try.
  ///
  /// @param attempt the number of failures in a row, from 1; zero means no delay
  public Duration delay(int attempt, RandomGenerator random) {
    if (attempt <= 0) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(random.nextLong(ceiling(attempt).toNanos() + 1));
  }

  /// The largest delay that this attempt can get.
  public Duration ceiling(int attempt) {
    Duration grown = base.multipliedBy(1L << Math.min(attempt - 1, LARGEST_EXPONENT));
    return grown.compareTo(cap) < 0 ? grown : cap;
  }
}
