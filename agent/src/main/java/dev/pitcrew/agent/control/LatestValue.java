package dev.pitcrew.agent.control;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Hands over the latest value. Earlier values are dropped: a reader that was busy needs the end of
/// a burst, not its course.
final class LatestValue<T> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private T value;
  private boolean isNew = true;

  LatestValue(T first) {
    this.value = first;
  }

  void set(T latest) {
    lock.lock();
    try {
      value = latest;
      wakeReader();
    } finally {
      lock.unlock();
    }
  }

  /// Has the reader look at the value again.
  void wake() {
    lock.lock();
    try {
      wakeReader();
    } finally {
      lock.unlock();
    }
  }

  private void wakeReader() {
    isNew = true;
    changed.signalAll();
  }

  /// The latest value: as soon as it has changed since the last call, at a [#wake], or at the end
  /// of the timeout.
  T await(Duration timeout) throws InterruptedException {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (!isNew && left > 0) {
        left = changed.awaitNanos(left);
      }
      isNew = false;
      return value;
    } finally {
      lock.unlock();
    }
  }
}
