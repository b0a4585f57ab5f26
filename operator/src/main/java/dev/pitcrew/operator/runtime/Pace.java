package dev.pitcrew.operator.runtime;

import java.time.Duration;
import java.time.Instant;

/// Bounds how often progress is written: on a thousand nodes every pod that gets ready changes the
/// counts, and that is no reason for a thousand writes.
final class Pace {
  private static final Duration EVERY = Duration.ofSeconds(5);

  private final Duration every;
  private Instant next = Instant.EPOCH;

  Pace() {
    this(EVERY);
  }

  Pace(Duration every) {
    this.every = every;
  }

  /// How long the next write of progress has to wait; zero or less if it need not.
  Duration pause(Instant now) {
    return Duration.between(now, next);
  }

  /// Progress was written.
  void used(Instant now) {
    next = now.plus(every);
  }
}
