package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/// Listens for the first state of an object that shows that the operator has acted.
final class Answer<T> implements Watcher<T> {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private final Predicate<T> isAnswer;
  private final CountDownLatch received = new CountDownLatch(1);
  private volatile long receivedAtNanos;

  private Answer(Predicate<T> isAnswer) {
    this.isAnswer = isAnswer;
  }

  /// Makes a change while a watch is open.
  ///
  /// @return from the moment before the change is sent until the watch shows the answer
  /// @throws TestbedException if no answer comes within a minute
  static <T> Duration time(
      Function<Watcher<T>, Watch> watch, Predicate<T> isAnswer, Runnable change) {
    var answer = new Answer<>(isAnswer);
    try (var _ = watch.apply(answer)) {
      var begin = System.nanoTime();
      change.run();
      if (!answer.received.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new TestbedException(
            "the operator did not answer a change within " + LIMIT.toSeconds() + " s");
      }
      return Duration.ofNanos(answer.receivedAtNanos - begin);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while the operator was awaited", e);
    }
  }

  @Override
  public void eventReceived(Action action, T object) {
    if (received.getCount() > 0 && action != Action.BOOKMARK && isAnswer.test(object)) {
      receivedAtNanos = System.nanoTime();
      received.countDown();
    }
  }

  @Override
  public void onClose(WatcherException cause) {
    // No answer comes any more, and the trial says so when its time is up.
  }
}
