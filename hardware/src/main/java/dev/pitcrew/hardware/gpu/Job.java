package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One piece of work on a [Lane], and somebody who waits for it.
final class Job<T> implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Job.class);

  /// Either side may be the first: the thread with an answer, or the waiter who gives up.
  private sealed interface State<T> {
    record Open<T>() implements State<T> {}

    record Answered<T>(Answer<T> answer) implements State<T> {}

    record Abandoned<T>() implements State<T> {}
  }

  private final String what;
  private final AtomicInteger overdue;
  private final Supplier<Answer<T>> work;
  private final long giveUpNanos;
  private final State<T> open = new State.Open<>();
  private final AtomicReference<State<T>> state = new AtomicReference<>(open);
  private final CountDownLatch answered = new CountDownLatch(1);

  /// @param overdue counts the jobs of the lane that were given up and have not returned
  Job(String what, Duration deadline, AtomicInteger overdue, Supplier<Answer<T>> work) {
    this.what = what;
    this.overdue = overdue;
    this.work = work;
    giveUpNanos = System.nanoTime() + deadline.toNanos();
  }

  @Override
  public void run() {
    if (state.get() instanceof State.Open) {
      settle(safely());
    }
    if (state.get() instanceof State.Abandoned) {
      overdue.decrementAndGet();
    }
  }

  /// The answer, or [NvmlError#UNRESPONSIVE] once the deadline, counted from the beginning, is
  /// over.
  Answer<T> await() {
    try {
      if (!answered.await(giveUpNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        abandon();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      abandon();
    }
    return state.get() instanceof State.Answered<T>(var answer)
        ? answer
        : Answer.failed(NvmlError.UNRESPONSIVE, what);
  }

  /// Answers without having run.
  void refuse(NvmlError error) {
    settle(Answer.failed(error, what));
  }

  private void settle(Answer<T> answer) {
    state.compareAndSet(open, new State.Answered<>(answer));
    answered.countDown();
  }

  // Counted before it can be seen: the thread that finds it abandoned counts back.
  private void abandon() {
    overdue.incrementAndGet();
    if (!state.compareAndSet(open, new State.Abandoned<>())) {
      overdue.decrementAndGet();
    }
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
