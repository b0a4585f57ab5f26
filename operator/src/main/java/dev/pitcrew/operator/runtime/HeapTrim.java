package dev.pitcrew.operator.runtime;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Gives the garbage of a burst of work back to the kernel once the burst is over. The serial
/// collector lets the heap grow to its limit before it collects the old generation, and an idle
/// operator would keep for days what its start has taken.
final class HeapTrim implements AutoCloseable {
  /// Reconciles, since the last collection, that leave enough behind to be worth some fifty
  /// milliseconds.
  private static final int BURST = 20;

  private static final Duration REST = Duration.ofSeconds(5);

  private final Semaphore reconciles = new Semaphore(0);
  private final Thread thread = Thread.ofVirtual().name("heap-trim").unstarted(this::run);

  void start() {
    thread.start();
  }

  /// Something was reconciled.
  void reconciled() {
    reconciles.release();
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        reconciles.acquire(BURST);
        awaitRest();
        System.gc();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitRest() throws InterruptedException {
    while (reconciles.tryAcquire(REST.toMillis(), TimeUnit.MILLISECONDS)) {
      reconciles.drainPermits();
    }
  }
}
