package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/// Something that is read again and again from where a call may hang. There is never more than one
/// call on the way, an answer that comes late still counts, and what is merely slow is as it was
/// read last. Not for several threads.
final class Reading<T> {
  private final Lane lane;
  private final String what;
  private Optional<Job<T>> running = Optional.empty();
  private Optional<Answer<T>> last = Optional.empty();
  private Optional<Long> waitingSinceNanos = Optional.empty();

  Reading(Lane lane, String what) {
    this.lane = lane;
    this.what = what;
  }

  /// Begins to read, unless an earlier reading is still on its way.
  void begin(Supplier<Answer<T>> work) {
    if (running.isEmpty()) {
      running = Optional.of(lane.begin(what, work));
    }
    if (waitingSinceNanos.isEmpty()) {
      waitingSinceNanos = Optional.of(System.nanoTime());
    }
  }

  /// Whether an answer may still come in time.
  boolean isUndecided() {
    return running.filter(job -> !job.isOverdue()).isPresent();
  }

  /// Whether an answer is waited for.
  boolean isWaiting() {
    return waitingSinceNanos.isPresent();
  }

  /// Whether an answer is waited for as long as that.
  boolean isOlderThan(Duration age) {
    return waitingSinceNanos.filter(it -> System.nanoTime() - it >= age.toNanos()).isPresent();
  }

  /// The answer, if it comes within `timeout`, counted from the beginning of the reading. A call
  /// that was refused since another one about the same GPU hangs is no answer.
  Optional<Answer<T>> within(Duration timeout) {
    Optional<Answer<T>> ended = running.orElseThrow().within(timeout);
    if (ended.isPresent()) {
      running = Optional.empty();
    }
    Optional<Answer<T>> answer = ended.filter(it -> !it.isFailedWith(NvmlError.UNRESPONSIVE));
    if (answer.isPresent()) {
      waitingSinceNanos = Optional.empty();
      last = answer;
    }
    return answer;
  }

  /// The answer as soon as it comes; after `timeout` the one before, until `tolerance` is over too.
  /// Both count from the beginning of the reading.
  Answer<T> within(Duration timeout, Duration tolerance) {
    return within(timeout)
        .or(() -> isOlderThan(tolerance) ? Optional.empty() : last)
        .orElseGet(this::noAnswer);
  }

  /// The answer before the one that is waited for.
  Optional<Answer<T>> last() {
    return last;
  }

  Answer<T> noAnswer() {
    return Answer.failed(NvmlError.UNRESPONSIVE, what);
  }
}
