package dev.pitcrew.kube.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.Outcome;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WorkQueueTest {

  private static final long LIMIT_SECONDS = 20;
  private static final int KEYS = 4;

  @Test
  void workersHandleDifferentKeysAtOnceAndOneKeyNeverTwiceAtOnce() throws InterruptedException {
    var handled = new CountDownLatch(400);
    var working = ConcurrentHashMap.<Integer>newKeySet();
    var overlap = new AtomicBoolean();
    var separately = new AtomicBoolean();
    var together = new CountDownLatch(KEYS);
    var options = QueueOptions.named("test", 2 * KEYS);
    try (var queue =
        new WorkQueue<Integer>(
            options,
            key -> {
              overlap.compareAndSet(false, !working.add(key));
              together.countDown();
              // The first handling of each key waits for the others, so that they are at once.
              separately.compareAndSet(false, !awaitQuietly(together));
              LockSupport.parkNanos(100_000); // long enough for another worker to come
              working.remove(key);
              handled.countDown();
              return Outcome.wait(Duration.ofNanos(1), "again");
            })) {
      queue.start();
      for (int key = 0; key < KEYS; key++) {
        queue.add(key);
      }
      assertThat(handled.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(overlap).isFalse();
    assertThat(separately).isFalse();
  }

  @Test
  void exception_isRetried_andTheWorkerContinues() throws InterruptedException {
    var attempts = new AtomicInteger();
    var succeeded = new CountDownLatch(1);
    try (var queue =
        new WorkQueue<String>(
            QueueOptions.named("test", 1),
            _ -> {
              switch (attempts.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("broken");
                case 2 -> throw new AssertionError("broken");
                default -> succeeded.countDown();
              }
              return Outcome.done();
            })) {
      queue.start().add("a");
      assertThat(succeeded.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(attempts).hasValue(3);
  }

  /// The clock of waits passes its largest value on the way, which the JVM's may, too.
  @Test
  void aWaitLastsAsLongAsTheInjectedClockSays() throws InterruptedException {
    var nanos = new AtomicLong(Long.MAX_VALUE - 1);
    var handled = new LinkedBlockingQueue<String>();
    try (var queue =
        new WorkQueue<String>(
            QueueOptions.named("test", 1),
            nanos::get,
            key -> {
              handled.add(key);
              return Outcome.done();
            })) {
      queue.start();
      queue.addAfter("late", Duration.ofDays(1));
      queue.add("now");
      assertThat(handled.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("now");
      assertThat(handled).isEmpty();
      nanos.addAndGet(Duration.ofDays(1).toNanos());
      queue.addAfter("later", Duration.ofDays(1)); // has the worker look at the clock again
      assertThat(handled.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("late");
    }
    assertThat(handled).isEmpty();
  }

  @Test
  void closingWaitsForWorkThatHasBegunAndHandsOutNoMore() throws InterruptedException {
    var begun = new CountDownLatch(1);
    var release = new CountDownLatch(1);
    var handled = new AtomicInteger();
    var queue =
        new WorkQueue<String>(
            QueueOptions.named("test", 1),
            _ -> {
              begun.countDown();
              awaitQuietly(release);
              handled.incrementAndGet();
              return Outcome.done();
            });
    queue.start().add("a");
    queue.add("b");
    begun.await();
    Thread closer = Thread.ofPlatform().start(queue::close);
    while (closer.getState() != Thread.State.TIMED_WAITING) {
      LockSupport.parkNanos(100_000); // until it waits for the worker
    }
    release.countDown();
    closer.join();
    assertThat(handled).hasValue(1);
  }

  @Test
  void workThatHangsIsInterruptedWhenTheDeadlineComes() throws InterruptedException {
    var begun = new CountDownLatch(1);
    var interrupted = new CountDownLatch(1);
    var queue =
        new WorkQueue<String>(
            QueueOptions.named("test", 1).closingWithin(Duration.ofMillis(50)),
            _ -> {
              begun.countDown();
              if (!awaitQuietly(new CountDownLatch(1))) {
                interrupted.countDown();
              }
              return Outcome.done();
            });
    queue.start().add("a");
    begun.await();
    queue.close();
    assertThat(interrupted.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  /// The first queue's work goes on until the second one is closed.
  @Test
  void queuesAreClosedSideBySide() throws InterruptedException {
    var begun = new CountDownLatch(2);
    var secondIsClosed = new CountDownLatch(1);
    var ended = new LinkedBlockingQueue<Boolean>();
    var first =
        new WorkQueue<String>(
            QueueOptions.named("first", 1),
            _ -> {
              begun.countDown();
              ended.add(awaitQuietly(secondIsClosed));
              return Outcome.done();
            });
    var second =
        new WorkQueue<String>(
            QueueOptions.named("second", 1).closingWithin(Duration.ofMillis(50)),
            _ -> {
              begun.countDown();
              var _ = awaitQuietly(new CountDownLatch(1));
              secondIsClosed.countDown();
              return Outcome.done();
            });
    first.start().add("a");
    second.start().add("a");
    begun.await();
    WorkQueue.closeTogether(first::close, second::close);
    assertThat(ended.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean awaitQuietly(CountDownLatch latch) {
    try {
      return latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }
}
