package dev.pitcrew.kube.queue;

import java.time.Duration;

/// Where a queue reports what it does. Called under the queue's lock: count and return.
public interface QueueMetrics {

  QueueMetrics NONE = new QueueMetrics() {};

  /// How many keys are due and not yet in work.
  default void depth(int keys) {}

  /// How long a key was due before its work began.
  default void waited(Duration latency) {}

  /// A key failed and will be tried again.
  default void retried() {}
}
