package dev.pitcrew.hardware.gpu;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// The threads on which all calls into NVML are made: one while every call returns soon, and one
/// more for each call that does not, for as long as others wait behind it.
///
/// Platform threads, since a call into a library pins a virtual thread's carrier. They belong to
/// the process and not to one opened library, so that a node of many GPUs that is well costs one
/// thread.
final class CallThreads {
  /// A reading of one GPU takes a few milliseconds. No caller is as impatient as that.
  static final Duration STALL = Duration.ofMillis(20);

  /// For threads beyond the first, which the next stall starts again.
  private static final Duration IDLE_LIFE = Duration.ofMillis(100);

  private static final CallThreads SHARED = new CallThreads("nvml-calls");

  private final ThreadPoolExecutor threads;
  private final AtomicLong lastEndNanos = new AtomicLong(System.nanoTime());

  CallThreads(String name) {
    threads =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_LIFE.toMillis(),
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name).factory());
    threads.setMaximumPoolSize(Integer.MAX_VALUE); // what relieve() asks for
  }

  /// Those of this process.
  static CallThreads shared() {
    return SHARED;
  }

  /// Runs `call` on one of the threads. Where all of them are stuck it is made once a caller waits
  /// with [#await].
  void execute(Runnable call) {
    threads.execute(() -> {
      try {
        call.run();
      } finally {
        lastEndNanos.set(System.nanoTime());
      }
    });
  }

  /// Waits for `event`, and has other calls made meanwhile where those under way are stuck.
  ///
  /// @return whether it came by then
  boolean await(CountDownLatch event, long deadlineNanos) throws InterruptedException {
    long slice = STALL.toNanos();
    long left = deadlineNanos - System.nanoTime();
    while (!event.await(Math.min(left, slice), TimeUnit.NANOSECONDS)) {
      left = deadlineNanos - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      relieve();
      slice *= 2;
    }
    return true;
  }

  /// Starts a thread for each call that waits, unless another one has just ended.
  private synchronized void relieve() {
    boolean isStuck = System.nanoTime() - lastEndNanos.get() >= STALL.toNanos();
    int waiting = threads.getQueue().size();
    if (isStuck && waiting > 0) {
      threads.setCorePoolSize(threads.getPoolSize() + waiting);
      threads.setCorePoolSize(1);
    }
  }
}
