package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;

/// How long is still waited for each kind of thing, from the first time that it was waited for. Of
/// the kernel's counts only what was seen without a break says anything: of each time that others
/// had the driver meanwhile, something may linger.
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
    switch (what) {
      case NO_USER -> since.putIfAbsent(For.KERNEL, clock.instant());
      case KERNEL -> since.remove(For.NO_USER);
      case GPU_HOLDERS, OPERANDS, HOST -> goesOn();
    }
    Instant now = clock.instant();
    Instant from = since.computeIfAbsent(what, _ -> now);
    return limits.of(what).minus(Duration.between(from, now));
  }

  /// Something else was done.
  void goesOn() {
    since.remove(For.KERNEL);
    since.remove(For.NO_USER);
  }
}
