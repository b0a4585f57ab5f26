package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/// All calls about one GPU, one after the other, with a short queue before them.
///
/// A call may hang in the driver for good. The caller waits until the deadline and no longer; from
/// then on, until the call does return, each call is refused at once. That it did return is
/// reported. A call that hangs keeps its thread, and no other lane waits for it (see
/// [CallThreads]).
final class Lane implements AutoCloseable {
  private static final int QUEUE_LENGTH = 16;

  private final CallThreads threads;
  private final Duration deadline;
  private final Late late;
  private final Set<Job<?>> jobs = ConcurrentHashMap.newKeySet();
  private final Queue<Job<?>> waiting = new ArrayDeque<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private boolean isRunning;
  private boolean isClosed;

  /// The listener for a job that ended later than it should have.
  record Late(Duration timeout, Runnable listener) {
    static final Late UNREPORTED = new Late(Duration.ZERO, () -> {});
  }

  Lane(Duration deadline) {
    this(deadline, Late.UNREPORTED);
  }

  Lane(Duration deadline, Late late) {
    this(CallThreads.shared(), deadline, late);
  }

  Lane(CallThreads threads, Duration deadline, Late late) {
    this.threads = threads;
    this.deadline = deadline;
    this.late = late;
  }

  /// Begins `work`; what it answers is waited for with [Job#await].
  ///
  /// @param what for the reason, if no answer comes
  <T> Job<T> begin(String what, Supplier<Answer<T>> work) {
    var job = new Job<>(threads, what, deadline, work, this::ended);
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
  boolean isResponsiveWithin(Duration timeout) {
    return jobs.stream().noneMatch(job -> job.isOlderThan(timeout));
  }

  /// When the last call of what runs now returned, by [System#nanoTime]. Empty where nothing runs:
  /// what is queued waits for a thread, not for the GPU.
  Optional<Long> progressNanos() {
    return jobs.stream().filter(Job::isRunning).map(Job::progressNanos).findFirst();
  }

  private void ended(Job<?> job) {
    if (jobs.remove(job) && job.isOlderThan(late.timeout())) {
      late.listener().run();
    }
  }

  private void start(Job<?> job) {
    admit(job).ifPresent(job::refuse);
  }

  /// @return why the job is not taken
  private synchronized Optional<NvmlError> admit(Job<?> job) {
    if (isClosed) {
      return Optional.of(NvmlError.UNINITIALIZED);
    }
    if (waiting.size() >= QUEUE_LENGTH) {
      return Optional.of(NvmlError.UNRESPONSIVE);
    }
    waiting.add(job);
    if (!isRunning) {
      isRunning = true;
      threads.execute(this::runNext);
    }
    return Optional.empty();
  }

  /// One job at a time, so that lanes take turns.
  private void runNext() {
    try {
      next().run();
    } finally {
      if (goesOn()) {
        threads.execute(this::runNext);
      }
    }
  }

  private synchronized Job<?> next() {
    return waiting.remove();
  }

  private synchronized boolean goesOn() {
    isRunning = !waiting.isEmpty();
    endIfDone();
    return isRunning;
  }

  private void endIfDone() {
    if (isClosed && !isRunning) {
      end.countDown();
    }
  }

  /// Takes no more calls.
  @Override
  public synchronized void close() {
    isClosed = true;
    endIfDone();
  }

  /// Whether all that ran has ended; after closing, and at most until `deadlineNanos`.
  boolean hasEndedBy(long deadlineNanos) throws InterruptedException {
    return threads.await(end, deadlineNanos);
  }
}
