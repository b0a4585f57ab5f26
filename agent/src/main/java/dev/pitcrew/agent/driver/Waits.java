package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;

/// How long is still waited for each kind of thing.
final class Waits {
  private final Limits limits;
  private final InstantSource clock;
  private final Map<For, Instant> since = new EnumMap<>(For.class);

  Waits(Limits limits, InstantSource clock) {
    this.limits = limits;
    this.clock = clock;
  }

  InstantSource clock() {
    return clock;
  }

  /// Not positive once it is over.
  Duration left(For what) {
    Instant now = clock.instant();
    Instant from = since.computeIfAbsent(what, _ -> now);
    return limits.of(what).minus(Duration.between(from, now));
  }
}
