package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;

/// How long is still waited for each kind of thing, from the first time that it was waited for.
final class Waits {
  private final Limits limits;
  private final InstantSource clock;
  private final Map<For, Instant> since = new EnumMap<>(For.class);

  /// @param holders for pods that hold a GPU
  /// @param operands for what was paused, the agent too
  /// @param kernel for whoever is left in the kernel's counts
  /// @param host for network drivers
  record Limits(Duration holders, Duration operands, Duration kernel, Duration host) {
    private static final Duration USUAL = Duration.ofMinutes(5);

    static Limits withPatience(Duration holders) {
      return new Limits(holders, USUAL, Duration.ofSeconds(30), Duration.ofMinutes(10));
    }

    private Duration of(For what) {
      return switch (what) {
        case GPU_HOLDERS -> holders;
        case OPERANDS -> operands;
        case KERNEL -> kernel;
        case HOST -> host;
      };
    }
  }

  Waits(Limits limits, InstantSource clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /// Not positive once it is over.
  Duration left(For what) {
    Instant now = clock.instant();
    Instant from = since.computeIfAbsent(what, _ -> now);
    return limits.of(what).minus(Duration.between(from, now));
  }
}
