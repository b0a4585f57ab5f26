package dev.pitcrew.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadEndTest {
  @Test
  void aThreadThatTakesItsTimeIsGoneAfterwardsThoughTheCallerIsInterrupted() {
    var isInterrupted = new CountDownLatch(1);
    var mayEnd = new CountDownLatch(1);
    Thread slow =
        Thread.ofVirtual()
            .start(() -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException _) {
                isInterrupted.countDown();
                awaitCalmly(mayEnd);
              }
            });
    Thread.ofVirtual()
        .start(() -> {
          awaitCalmly(isInterrupted);
          mayEnd.countDown();
        });
    Thread.currentThread().interrupt();

    ThreadEnd.of(slow);

    assertThat(slow.isAlive()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void threadThatNeverStarted_isNotAwaited() {
    Thread never = Thread.ofVirtual().unstarted(() -> {});
    ThreadEnd.of(never);
    assertThat(never.getState()).isEqualTo(Thread.State.NEW);
  }

  @Test
  void threadThatEndsItself_doesNotWaitForItself() throws InterruptedException {
    var isThrough = new CountDownLatch(1);
    Thread own =
        Thread.ofVirtual()
            .start(() -> {
              ThreadEnd.of(Thread.currentThread());
              isThrough.countDown();
            });
    own.join();
    assertThat(isThrough.getCount()).isZero();
  }

  private static void awaitCalmly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
