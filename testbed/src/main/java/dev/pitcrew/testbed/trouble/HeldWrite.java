package dev.pitcrew.testbed.trouble;

import dev.pitcrew.testbed.TestbedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// A write that a [WriteGate] holds as soon as it comes, until the test decides. The API server
/// gives up on a held write after half a minute and refuses it.
public final class HeldWrite {
  private final String sort;
  private final int number;
  private final AtomicInteger seen = new AtomicInteger();
  private final CountDownLatch arrival = new CountDownLatch(1);
  private final CompletableFuture<Boolean> answer = new CompletableFuture<>();

  HeldWrite(String sort, int number) {
    this.sort = sort;
    this.number = number;
  }

  /// What is held, such as `create DaemonSet`.
  public String sort() {
    return sort;
  }

  /// Whether the write has come.
  public boolean isHeld() {
    return arrival.getCount() == 0;
  }

  /// Waits until the write is in flight.
  ///
  /// @throws TestbedException if it does not come
  public void awaitHeld(Duration limit) throws InterruptedException {
    if (!arrival.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new TestbedException(
          "%d of %d writes \"%s\" came within %d s"
              .formatted(seen.get(), number, sort, limit.toSeconds()));
    }
  }

  /// Lets the write land; it does not wait for that.
  public void allow() {
    answer.complete(true);
  }

  /// Has the API server refuse the write.
  public void deny() {
    answer.complete(false);
  }

  boolean takes(String candidate) {
    return candidate.equals(sort) && seen.incrementAndGet() == number;
  }

  /// @return whether the write is allowed
  boolean awaitAnswer() {
    arrival.countDown();
    return answer.join();
  }

  @Override
  public String toString() {
    return number == 1 ? sort : sort + " " + number;
  }
}
