package dev.pitcrew.agent.control;

import java.time.Duration;

/// Keeps one part of the node as its input says. It does nothing where that part is as it should
/// be, and may be called any number of times with the same input.
///
/// @param <I> all that it depends on: a change of anything else does not wake it
@FunctionalInterface
public interface Controller<I> {
  /// Nothing is left to do until the input changes; what no event reports is checked then.
  Duration RESYNC = Duration.ofMinutes(10);

  /// @return when to reconcile again though the input has not changed
  Duration reconcile(I input) throws InterruptedException;
}
