package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The one thread on which all calls about one GPU are made, with a short queue before it.
///
/// A call may hang in the driver for good. Whoever asked waits until the deadline and no longer;
/// from then on, until the call does return, everybody is refused at once. That it did return is
/// told. A platform thread, since a call into a library pins a virtual thread's carrier.
final class Lane implements AutoCloseable {
  private static final int QUEUE_LENGTH = 16;
  private static final Duration IDLE_LIFE = Duration.ofSeconds(30);

  private final ThreadPoolExecutor thread;
  private final Duration deadline;
  private final Late late;
  private final Set<Job<?>> jobs = ConcurrentHashMap.newKeySet();

  /// Whom to tell of a job that ended later than it should have.
  record Late(Duration patience, Runnable listener) {
    static final Late UNTOLD = new Late(Duration.ZERO, () -> {});
  }

  Lane(String name, Duration deadline) {
    this(name, deadline, Late.UNTOLD);
  }

  Lane(String name, Duration deadline, Late late) {
    this.deadline = deadline;
    this.late = late;
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_LIFE.toMillis(),
            TimeUnit.MILLISECONDS,
            new ArrayBlockingQueue<>(QUEUE_LENGTH),
            Thread.ofPlatform().daemon().name(name).factory());
    thread.allowCoreThreadTimeOut(true);
  }

  /// Begins `work`; what it answers is waited for with [Job#await].
  ///
  /// @param what for the reason, if no answer comes
  <T> Job<T> begin(String what, Supplier<Answer<T>> work) {
    var job = new Job<>(what, deadline, work, this::ended);
    if (isResponsive()) {
      jobs.add(job);
      start(job);
    } else {
      job.refuse(NvmlError.UNRESPONSIVE);
    }
    return job;
  }

  /// What `work` answers, or that it did not within the deadline.
  <T> Answer<T> ask(String what, Supplier<Answer<T>> work) {
    return begin(what, work).await();
  }

  /// Whether no call is past its deadline.
  boolean isResponsive() {
    return jobs.stream().noneMatch(Job::isOverdue);
  }

  /// Whether no call takes as long as that.
  boolean isResponsiveWithin(Duration patience) {
    return jobs.stream().noneMatch(job -> job.isOlderThan(patience));
  }

  private void ended(Job<?> job) {
    if (jobs.remove(job) && job.isOlderThan(late.patience())) {
      late.listener().run();
    }
  }

  private void start(Job<?> job) {
    try {
      thread.execute(job);
    } catch (RejectedExecutionException _) {
      job.refuse(thread.isShutdown() ? NvmlError.UNINITIALIZED : NvmlError.UNRESPONSIVE);
    }
  }

  /// Takes no more calls. One that hangs keeps its thread, which does not keep the process.
  @Override
  public void close() {
    thread.shutdown();
  }

  /// Whether all that ran has ended; after closing, and at most until `deadlineNanos`.
  boolean hasEndedBy(long deadlineNanos) throws InterruptedException {
    return thread.awaitTermination(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }
}
