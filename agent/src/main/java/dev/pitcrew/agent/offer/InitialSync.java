package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.control.Controller;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Knows when the GPUs were offered for the first time, and the kubelet has taken each resource or
/// has not.
public final class InitialSync implements Controller<OfferReport> {
  private final CountDownLatch made = new CountDownLatch(1);

  @Override
  public Duration reconcile(OfferReport offered) {
    if (isMade(offered)) {
      made.countDown();
    }
    return RESYNC;
  }

  private static boolean isMade(OfferReport offered) {
    return offered.resources().stream().noneMatch(OfferReport.Advertised::isPending);
  }

  /// Returns when it is made, at the timeout, or as soon as this thread is to end.
  public void await(Duration timeout) {
    try {
      var _ = made.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
