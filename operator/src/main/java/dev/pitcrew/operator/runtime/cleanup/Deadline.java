package dev.pitcrew.operator.runtime.cleanup;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A moment until which several waits may last together.
final class Deadline {
  private final long nanoTime;

  private Deadline(long nanoTime) {
    this.nanoTime = nanoTime;
  }

  static Deadline after(Duration timeout) {
    return new Deadline(System.nanoTime() + timeout.toNanos());
  }

  /// This moment, or one so long from now, whichever is first.
  Deadline within(Duration limit) {
    return new Deadline(
        nanoTime - System.nanoTime() < limit.toNanos() ? nanoTime : after(limit).nanoTime);
  }

  /// Returns when the future is done or time is up, whichever is first; the future is cancelled in
  /// the second case.
  void await(Future<?> future) {
    try {
      future.get(Math.max(0, nanoTime - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      // The caller looks at what is left and says so.
    } catch (ExecutionException failure) {
      throw new IllegalStateException("watching the cluster failed", failure.getCause());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } finally {
      future.cancel(true);
    }
  }
}
