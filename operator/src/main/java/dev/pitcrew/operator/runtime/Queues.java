package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.queue.QueueMetrics;
import dev.pitcrew.kube.queue.QueueOptions;
import dev.pitcrew.kube.queue.WorkQueue;
import dev.pitcrew.operator.metrics.OperatorMetrics;
import dev.pitcrew.operator.metrics.ReconcileResult;
import java.time.Duration;
import java.util.function.Function;

/// Makes the queues of the controllers, whose work is counted and timed.
final class Queues {
  private final OperatorMetrics metrics;
  private final HeapTrim heapTrim;

  Queues(OperatorMetrics metrics, HeapTrim heapTrim) {
    this.metrics = metrics;
    this.heapTrim = heapTrim;
  }

  /// The queue of one controller.
  ///
  /// @param work what is done for a key
  WorkQueue<String> named(String name, int workers, Function<String, Outcome> work) {
    var options = QueueOptions.named(name, workers).measuredBy(measured(name));
    return new WorkQueue<>(options, key -> timed(name, key, work));
  }

  private Outcome timed(String controller, String key, Function<String, Outcome> work) {
    long begin = System.nanoTime();
    Outcome outcome;
    try {
      outcome = work.apply(key);
    } catch (RuntimeException e) {
      outcome = Outcome.failed(e);
    }
    metrics
        .controllers()
        .reconciled(
            controller, ReconcileResult.of(outcome), Duration.ofNanos(System.nanoTime() - begin));
    heapTrim.reconciled();
    return outcome;
  }

  private QueueMetrics measured(String controller) {
    return new QueueMetrics() {
      @Override
      public void depth(int keys) {
        metrics.controllers().queueDepth(controller, keys);
      }

      @Override
      public void retried() {
        metrics.controllers().retried(controller);
      }
    };
  }
}
