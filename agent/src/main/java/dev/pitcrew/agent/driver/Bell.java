package dev.pitcrew.agent.driver;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Wakes a thread that waits for any of several events.
public final class Bell {
  private final Semaphore rung = new Semaphore(0);
  private volatile boolean isOver;

  /// Something may have changed.
  public void ring() {
    rung.release();
  }

  /// The order to end, which every wait hears from now on.
  public void end() {
    isOver = true;
    rung.release();
  }

  boolean isOver() {
    return isOver;
  }

  /// Returns once it was rung since the last time, or after the limit.
  void await(Duration limit) throws InterruptedException {
    if (!isOver && rung.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      rung.drainPermits();
    }
  }
}
