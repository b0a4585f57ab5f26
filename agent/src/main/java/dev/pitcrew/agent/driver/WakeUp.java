package dev.pitcrew.agent.driver;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Wakes a thread that waits for any of several events.
public final class WakeUp {
  private final Semaphore permits = new Semaphore(0);
  private volatile boolean isOver;

  /// Something may have changed.
  public void wake() {
    permits.release();
  }

  /// The order to end, which every wait hears from now on.
  public void end() {
    isOver = true;
    permits.release();
  }

  boolean isOver() {
    return isOver;
  }

  /// Returns once it was rung since the last time, or after the limit.
  void await(Duration limit) throws InterruptedException {
    if (!isOver && permits.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      permits.drainPermits();
    }
  }
}
