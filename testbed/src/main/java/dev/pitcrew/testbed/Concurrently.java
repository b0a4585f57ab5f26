package dev.pitcrew.testbed;

import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/// Does the same to many objects of the API server, some at a time.
public final class Concurrently {
  // One HTTP/2 connection carries 250 requests at most, and two cores saturate far below that.
  private static final int AT_A_TIME = 16;

  private Concurrently() {}

  /// Returns when `action` has been done for every item, and fails with the first failure.
  public static <T> void forEach(Collection<T> items, Consumer<T> action) {
    var threads = Thread.ofVirtual().factory();
    try (var executor = Executors.newFixedThreadPool(AT_A_TIME, threads)) {
      var calls =
          items.stream().map(item -> Executors.callable(() -> action.accept(item))).toList();
      for (var result : executor.invokeAll(calls)) {
        result.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted at work on " + items.size() + " objects", e);
    } catch (ExecutionException e) {
      throw new TestbedException("work on " + items.size() + " objects: " + e.getCause(), e);
    }
  }
}
