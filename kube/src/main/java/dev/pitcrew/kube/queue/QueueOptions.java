package dev.pitcrew.kube.queue;

import dev.pitcrew.core.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/// How a [WorkQueue] works.
///
/// @param name for the log and the names of threads
/// @param workers how many keys are handled at once
/// @param backoff between the failures of a key
/// @param closeWithin how long closing waits for work that has begun before it interrupts it
public record QueueOptions(
    String name,
    int workers,
    Backoff backoff,
    RandomGenerator random,
    QueueMetrics metrics,
    Duration closeWithin) {

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));
  private static final Duration CLOSE_WITHIN = Duration.ofSeconds(5);

  public static QueueOptions named(String name, int workers) {
    return new QueueOptions(
        name, workers, BACKOFF, RandomGenerator.getDefault(), QueueMetrics.NONE, CLOSE_WITHIN);
  }

  public QueueOptions measuredBy(QueueMetrics newMetrics) {
    return new QueueOptions(name, workers, backoff, random, newMetrics, closeWithin);
  }

  public QueueOptions backingOff(Backoff newBackoff, RandomGenerator newRandom) {
    return new QueueOptions(name, workers, newBackoff, newRandom, metrics, closeWithin);
  }

  public QueueOptions closingWithin(Duration newCloseWithin) {
    return new QueueOptions(name, workers, backoff, random, metrics, newCloseWithin);
  }
}
