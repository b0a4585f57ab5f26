package dev.pitcrew.agent.process;

import java.time.Duration;

/// One thing that the agent keeps as it should be. It acts on the part of the situation that it
/// reads, does nothing where that part and the world are as they were, and may be asked any number
/// of times.
@FunctionalInterface
interface Controller {
  /// Nothing is left to do until the situation changes; what no event reports is checked then.
  Duration SETTLED = Duration.ofMinutes(10);

  /// @return when to be asked again though the situation has not changed
  Duration act(NodeState situation) throws InterruptedException;
}
