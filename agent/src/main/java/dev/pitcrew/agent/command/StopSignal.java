package dev.pitcrew.agent.command;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Signals long-running commands to end.
public final class StopSignal {
  private final CountDownLatch raised = new CountDownLatch(1);

  public void raise() {
    raised.countDown();
  }

  /// Waits; whether the time passed without the signal. Without a time only the signal ends it.
  public boolean passes(Optional<Duration> time) throws InterruptedException {
    if (time.isEmpty()) {
      raised.await();
      return false;
    }
    return !raised.await(time.get().toNanos(), TimeUnit.NANOSECONDS);
  }
}
