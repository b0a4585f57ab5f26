package dev.pitcrew.agent.plugin;

import java.time.Duration;

/// How long to wait before trying again: short at first, doubled each time, never very long.
record Backoff(Duration pause) {
  static final Backoff START = new Backoff(Duration.ofMillis(10));
  private static final Duration LONGEST = Duration.ofSeconds(30);

  Backoff longer() {
    Duration doubled = pause.multipliedBy(2);
    return new Backoff(doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled);
  }
}
