package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;

/// How long each kind of thing is waited for; see [Waits] for since when.
///
/// @param holders pods that hold a GPU
/// @param operands what was paused, the agent too
/// @param kernel whoever is left in the kernel's counts, and nobody just as long
/// @param host network drivers, and virtual machines that have GPUs
public record Limits(Duration holders, Duration operands, Duration kernel, Duration host) {
  private static final Duration OPERANDS = Duration.ofMinutes(5);
  private static final Duration KERNEL = Duration.ofSeconds(30);
  private static final Duration HOST = Duration.ofMinutes(10);

  public static Limits withHolders(Duration holders) {
    return new Limits(holders, OPERANDS, KERNEL, HOST);
  }

  Duration of(For what) {
    return switch (what) {
      case GPU_HOLDERS -> holders;
      case OPERANDS -> operands;
      case KERNEL, NOBODY -> kernel;
      case HOST -> host;
    };
  }
}
