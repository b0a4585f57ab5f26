package dev.pitcrew.operator.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/// Carries out the same step for many items, a few at a time.
final class Parallel {
  private final Semaphore slots;

  /// @param atOnce how many steps are under way at most, for all callers together
  Parallel(int atOnce) {
    slots = new Semaphore(atOnce);
  }

  /// Carries out a step for each item.
  ///
  /// @return what came of each, in their order; all have ended
  <T, R> List<Future<R>> each(List<T> items, Function<? super T, R> step)
      throws InterruptedException {
    var results = new ArrayList<Future<R>>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (T item : items) {
        slots.acquire();
        results.add(
            threads.submit(() -> {
              try {
                return step.apply(item);
              } finally {
                slots.release();
              }
            }));
      }
    }
    if (Thread.interrupted()) { // then steps were cut off, and have not failed
      throw new InterruptedException();
    }
    return results;
  }

  /// What came of one that has ended.
  ///
  /// @throws RuntimeException as the step threw it
  static <R> R value(Future<R> ended) throws InterruptedException {
    try {
      return ended.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException("a step has failed", e.getCause());
    }
  }
}
