package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One piece of work on a [Lane], and the caller that waits for it.
final class Job<T> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  /// Either side may be the first: the thread that begins, or the waiter who gives up.
  private enum Progress {
    QUEUED,
    BEGUN,
    GIVEN_UP
  }

  private static final ScopedValue<Job<?>> RUNNING = ScopedValue.newInstance();

  private final String what;
  private final Supplier<Answer<T>> work;
  private final Consumer<Job<?>> onEnd;
  private final Duration deadline;
  private final long startNanos = System.nanoTime();
  private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.QUEUED);
  private final AtomicReference<Optional<Answer<T>>> answer =
      new AtomicReference<>(Optional.empty());
  private final CountDownLatch answered = new CountDownLatch(1);
  private final CallThreads threads;
  private volatile long progressNanos;

  /// @param onEnd called when nothing of it runs any more
  Job(
      CallThreads threads,
      String what,
      Duration deadline,
      Supplier<Answer<T>> work,
      Consumer<Job<?>> onEnd) {
    this.threads = threads;
    this.what = what;
    this.deadline = deadline;
    this.work = work;
    this.onEnd = onEnd;
  }

  @Override
  public void run() {
    if (progress.compareAndSet(Progress.QUEUED, Progress.BEGUN)) {
      progressNanos = System.nanoTime();
      settle(ScopedValue.where(RUNNING, this).call(this::safely));
    }
    onEnd.accept(this);
  }

  /// A call of the job that runs on this thread, if any, has returned.
  static void callReturned() {
    if (RUNNING.isBound()) {
      RUNNING.get().progressNanos = System.nanoTime();
    }
  }

  /// When its last call returned, by [System#nanoTime], or when it began where none has.
  long progressNanos() {
    return progressNanos;
  }

  /// The answer, or [NvmlError#UNRESPONSIVE] once the deadline, counted from the beginning, is
  /// over.
  Answer<T> await() {
    return within(deadline).orElseGet(this::giveUp);
  }

  /// The answer, if it comes within `timeout`, counted from the beginning.
  Optional<Answer<T>> within(Duration timeout) {
    try {
      if (!threads.await(answered, startNanos + timeout.toNanos())) {
        return Optional.empty();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return answer.get();
  }

  /// The caller waits no longer: what is not begun never will be.
  Answer<T> giveUp() {
    progress.compareAndSet(Progress.QUEUED, Progress.GIVEN_UP);
    return answer.get().orElseGet(this::noAnswer);
  }

  /// Whether the work may go on although no caller waits.
  boolean isRunning() {
    return progress.get() == Progress.BEGUN && answered.getCount() > 0;
  }

  /// Whether the work was begun, or yet may be.
  boolean hasBegun() {
    return progress.get() != Progress.GIVEN_UP;
  }

  boolean isOlderThan(Duration age) {
    return ageNanos() >= age.toNanos();
  }

  boolean isOverdue() {
    return isOlderThan(deadline);
  }

  /// What is said where no answer comes.
  Answer<T> noAnswer() {
    return Answer.failed(NvmlError.UNRESPONSIVE, what);
  }

  /// Answers without having run.
  void refuse(NvmlError error) {
    progress.set(Progress.GIVEN_UP);
    settle(Answer.failed(error, what));
    onEnd.accept(this);
  }

  long ageNanos() {
    return System.nanoTime() - startNanos;
  }

  private void settle(Answer<T> found) {
    answer.set(Optional.of(found));
    answered.countDown();
  }

  private Answer<T> safely() {
    try {
      return work.get();
    } catch (RuntimeException e) {
      LOG.atError().addKeyValue("work", what).setCause(e).log("a call into NVML broke");
      return Answer.failed(NvmlError.UNKNOWN, what);
    }
  }
}
