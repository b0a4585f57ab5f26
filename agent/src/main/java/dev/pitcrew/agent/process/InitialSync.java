package dev.pitcrew.agent.process;

import dev.pitcrew.agent.offer.OfferReport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Knows when the GPUs were offered for the first time, and the kubelet has taken each resource or
/// has not.
final class InitialSync implements Controller {
  private final CountDownLatch made = new CountDownLatch(1);

  @Override
  public Duration act(NodeState situation) {
    if (isMade(situation.offered())) {
      made.countDown();
    }
    return SETTLED;
  }

  private static boolean isMade(Optional<OfferReport> offered) {
    return offered
        .filter(report -> report.resources().stream().noneMatch(OfferReport.Advertised::isPending))
        .isPresent();
  }

  /// Returns when it is made, at the end of the patience, or as soon as this thread is to end.
  void await(Duration patience) {
    try {
      var _ = made.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
