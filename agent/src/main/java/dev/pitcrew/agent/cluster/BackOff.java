package dev.pitcrew.agent.cluster;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long to wait after so many failures in a row: evenly drawn from zero to a bound that doubles
/// with each, so that the agents of a cluster do not come back to an API server all at once.
///
/// @param first the bound after one failure
/// @param cap the largest bound
record BackOff(Duration first, Duration cap) {
  private static final int LARGEST_EXPONENT = 20;

  Duration delay(int failures, RandomGenerator random) {
    Duration grown = first.multipliedBy(1L << Math.clamp(failures - 1, 0, LARGEST_EXPONENT));
    Duration bound = grown.compareTo(cap) < 0 ? grown : cap;
    return Duration.ofNanos(random.nextLong(bound.toNanos() + 1));
  }
}
