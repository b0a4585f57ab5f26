package dev.pitcrew.agent.node;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// Wakes the thread that follows the node, from any thread. However often it is called meanwhile,
/// that is one waking.
final class Wake {
  private final Semaphore calls = new Semaphore(0);
  private final AtomicBoolean lookIsDue = new AtomicBoolean();

  /// There is something to hear.
  void listen() {
    if (calls.availablePermits() == 0) {
      calls.release();
    }
  }

  /// There is something that only a look explains.
  void look() {
    lookIsDue.set(true);
    listen();
  }

  /// Returns at the next call, or when the time has come.
  void awaitUntil(long nanos) throws InterruptedException {
    if (calls.tryAcquire(nanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      calls.drainPermits();
    }
  }

  /// Whether a look is due. Says so once.
  boolean wantsLook() {
    return lookIsDue.getAndSet(false);
  }
}
