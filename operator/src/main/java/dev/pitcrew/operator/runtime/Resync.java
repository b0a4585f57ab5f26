package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.queue.WorkQueue;
import java.time.Duration;
import java.util.List;

/// Checks everything again at intervals, without an event: work whose wake was lost is late, but
/// not lost. If everything is as wanted, that sends the API server no requests.
final class Resync implements AutoCloseable {
  private static final String ALL = "all";

  private final Duration period;
  private final List<Runnable> wakes;
  private final WorkQueue<String> queue;

  /// @param period from one look to the next; zero for never
  /// @param wakes each has one controller look at all that it cares for
  Resync(Queues queues, Duration period, Runnable... wakes) {
    this.period = period;
    this.wakes = List.of(wakes);
    this.queue = queues.named("resync-controller", 1, _ -> wakeAll());
  }

  void start() {
    if (period.isPositive()) {
      queue.addAfter(ALL, period);
      queue.start();
    }
  }

  @Override
  public void close() {
    queue.close();
  }

  private Outcome wakeAll() {
    wakes.forEach(Runnable::run);
    return Outcome.wait(period, "then everything is checked again");
  }
}
