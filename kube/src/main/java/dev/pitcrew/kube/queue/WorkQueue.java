package dev.pitcrew.kube.queue;

import dev.pitcrew.core.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hands keys to workers: each key to one worker at a time, keys that are added twice once.
///
/// What follows is up to the [Outcome]: done and blocked end it until the key is added again; wait
/// adds it again after a delay unless that happens first; failed adds it again after a back-off
/// that grows with each failure in a row. A key that is added while it waits or backs off is
/// handled at once.
public final class WorkQueue<K> implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(WorkQueue.class);
  private static final long NO_WAKE_NANOS = TimeUnit.HOURS.toNanos(1);

  private final QueueOptions options;
  private final LongSupplier nanos;
  private final long beginNanos;
  private final Function<K, Outcome> work;
  private final Schedule<K> schedule;
  private final List<Thread> workers = new ArrayList<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean closed;

  /// A queue that does nothing until it is started.
  ///
  /// @param work handles one key, on a virtual thread; what it throws counts as [Outcome.Failed]
  public WorkQueue(QueueOptions options, Function<K, Outcome> work) {
    this(options, System::nanoTime, work);
  }

  /// @param nanos a clock that is never set, in nanoseconds from any moment on
  WorkQueue(QueueOptions options, LongSupplier nanos, Function<K, Outcome> work) {
    this.options = options;
    this.nanos = nanos;
    this.beginNanos = nanos.getAsLong();
    this.work = work;
    this.schedule = new Schedule<>(options);
  }

  /// Lets the workers begin. Keys can be added before.
  public WorkQueue<K> start() {
    for (int i = 0; i < options.workers(); i++) {
      workers.add(Thread.ofVirtual().name(options.name() + "-" + i).start(this::workUntilClosed));
    }
    return this;
  }

  /// Makes a key due now.
  public void add(K key) {
    change(() -> schedule.add(key, now()));
  }

  /// Makes a key due after `delay`, unless it is handled sooner for another reason.
  public void addAfter(K key, Duration delay) {
    change(() -> schedule.addAt(key, now().plus(delay)));
  }

  /// Hands out no more keys and waits for those in work, which are interrupted when the options'
  /// deadline comes.
  @Override
  public void close() {
    change(() -> closed = true);
    long deadlineNanos = System.nanoTime() + options.closeWithin().toNanos();
    try {
      for (Thread worker : workers) {
        if (!worker.join(Duration.ofNanos(deadlineNanos - System.nanoTime()))) {
          worker.interrupt();
        }
      }
    } catch (InterruptedException e) {
      workers.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
  }

  /// Closes several queues, or what has queues, side by side: all of them take as long as the
  /// slowest. An interrupt ends the wait for all.
  public static void closeTogether(Runnable... closings) {
    List<Thread> closers =
        Arrays.stream(closings)
            .map(closing -> Thread.ofVirtual().name("queue-closer").start(closing))
            .toList();
    try {
      for (Thread closer : closers) {
        closer.join();
      }
    } catch (InterruptedException e) {
      closers.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
  }

  private Duration now() {
    return Duration.ofNanos(nanos.getAsLong() - beginNanos);
  }

  private void workUntilClosed() {
    try {
      while (true) {
        Optional<K> key = next();
        if (key.isEmpty()) {
          return;
        }
        handle(key.get());
      }
    } catch (InterruptedException e) {
      log.debug("{}: a worker was interrupted", options.name());
    }
  }

  /// Waits for a key; empty when the queue is closed.
  private Optional<K> next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        Optional<K> key = schedule.take(now());
        if (key.isPresent()) {
          return key;
        }
        changed.awaitNanos(nanosToWake());
      }
      return Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private long nanosToWake() {
    return schedule
        .nextWake()
        .map(moment -> moment.minus(now()).toNanos())
        .map(nanos -> Math.min(nanos, NO_WAKE_NANOS))
        .orElse(NO_WAKE_NANOS);
  }

  private void handle(K key) {
    Outcome outcome = outcome(key);
    if (outcome instanceof Outcome.Failed(Throwable cause)) {
      log.warn("{}: {} failed and will be tried again", options.name(), key, cause);
    }
    change(() -> schedule.end(key, outcome, now()));
  }

  private Outcome outcome(K key) {
    try {
      return work.apply(key);
    } catch (
        Throwable e) { // an Error too: else the worker would die and the key stay in work for ever
      return Outcome.failed(e);
    }
  }

  private void change(Runnable step) {
    lock.lock();
    try {
      step.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
