package dev.pitcrew.agent.process;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Hands over the newest value. Earlier values are dropped: a reader that was busy needs the end of
/// a burst, not its course.
final class LatestValue<T> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private Optional<T> value = Optional.empty();

  void tell(T newest) {
    lock.lock();
    try {
      value = Optional.of(newest);
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The newest value, once; empty if none arrives within this time.
  Optional<T> take(Duration patience) throws InterruptedException {
    lock.lock();
    try {
      long left = patience.toNanos();
      while (value.isEmpty() && left > 0) {
        left = news.awaitNanos(left);
      }
      Optional<T> taken = value;
      value = Optional.empty();
      return taken;
    } finally {
      lock.unlock();
    }
  }
}
