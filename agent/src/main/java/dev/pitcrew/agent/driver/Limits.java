package dev.pitcrew.agent.driver;

import dev.pitcrew.agent.driver.plan.Next.For;
import java.time.Duration;

/// How long each kind of thing is waited for; see [WaitDeadlines] for since when.
///
/// @param holders pods that hold a GPU
/// @param operands what was paused, the agent too
/// @param users processes and modules that use the driver; operands of other namespaces are among
///   them while they end
/// @param stuckDriver counts of the kernel that nothing explains
/// @param host network drivers, and virtual machines that have GPUs
public record Limits(
    Duration holders, Duration operands, Duration users, Duration stuckDriver, Duration host) {
  private static final Duration OPERANDS = Duration.ofMinutes(5);
  private static final Duration USERS = Duration.ofMinutes(2);
  private static final Duration WEDGE = Duration.ofSeconds(30);
  private static final Duration HOST = Duration.ofMinutes(10);

  public static Limits withHolders(Duration holders) {
    return new Limits(holders, OPERANDS, USERS, WEDGE, HOST);
  }

  Duration of(For what) {
    return switch (what) {
      case GPU_HOLDERS -> holders;
      case OPERANDS -> operands;
      case KERNEL -> users;
      case NO_USER -> stuckDriver;
      case HOST -> host;
    };
  }
}
