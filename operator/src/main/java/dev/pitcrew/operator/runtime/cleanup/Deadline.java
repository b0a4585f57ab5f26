package dev.pitcrew.operator.runtime.cleanup;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A moment until which several waits last together.
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

  /// This moment, or one so long from now, whichever is last.
  Deadline atLeast(Duration rest) {
    return new Deadline(
        nanoTime - System.nanoTime() < rest.toNanos() ? after(rest).nanoTime : nanoTime);
  }

  /// Runs all of them, and returns when they have ended or time is up; those that have not ended by
  /// then are cancelled.
  <T> List<Future<T>> invokeAll(ExecutorService threads, List<? extends Callable<T>> steps)
      throws InterruptedException {
    return threads.invokeAll(steps, left(), TimeUnit.NANOSECONDS);
  }

  private long left() {
    return Math.max(0, nanoTime - System.nanoTime());
  }

  /// Returns when the future is done or time is up, whichever is first; the future is cancelled in
  /// the second case.
  void await(Future<?> future) {
    try {
      future.get(left(), TimeUnit.NANOSECONDS);
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
