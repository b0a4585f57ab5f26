package dev.pitcrew.kube;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// Exponential back-off with full jitter: the n-th delay is drawn evenly from zero to `base *
/// 2^(n-1)`, at most `cap`. Full jitter spreads the retries of many clients that failed at the same
/// moment.
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
