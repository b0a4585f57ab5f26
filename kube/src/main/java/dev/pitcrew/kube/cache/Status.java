package dev.pitcrew.kube.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// What a cache knows about its own completeness.
final class Status {

  private final CountDownLatch firstAnswer = new CountDownLatch(1);
  private volatile boolean absent;

  void synced() {
    absent = false;
    firstAnswer.countDown();
  }

  void absent() {
    absent = true;
    firstAnswer.countDown();
  }

  boolean isSynced() {
    return firstAnswer.getCount() == 0;
  }

  boolean isAbsent() {
    return absent;
  }

  boolean await(Duration limit) throws InterruptedException {
    return firstAnswer.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }
}
