package dev.pitcrew.kube.client;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Bounds a blocking call. The client's own timeout ends when an answer begins; a body that stops
/// half-way would block for ever.
public final class Deadline {

  private Deadline() {}

  /// Runs `call` on a virtual thread of its own and interrupts it after `limit`.
  ///
  /// @throws IOException when the limit has passed; whatever unchecked exception `call` threw is
  ///   thrown as it is
  public static <T> T call(Duration limit, Callable<T> call)
      throws IOException, InterruptedException {
    var task = new FutureTask<>(call);
    Thread.ofVirtual().name("deadline").start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no answer from the API server within " + limit.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      throw rethrown(e.getCause() == null ? e : e.getCause());
    } finally {
      task.cancel(true);
    }
  }

  private static IOException rethrown(Throwable cause) {
    return switch (cause) {
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      case IOException io -> io;
      default -> new IOException(cause);
    };
  }
}
