package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;

/// When each kind of wait times out, counted from its first start. The kernel's reference counts
/// are evidence only while the driver has no other user: after each use by others they may take a
/// moment to drop, so these waits start again.
final class WaitDeadlines {
  private final Limits limits;
  private final InstantSource clock;
  private final Map<For, Instant> since = new EnumMap<>(For.class);

  WaitDeadlines(Limits limits, InstantSource clock) {
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
