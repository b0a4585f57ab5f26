package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
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

  Reading(Lane lane, String what) {
    this.lane = lane;
    this.what = what;
  }

  /// Begins to read, unless an earlier reading is still on its way.
  void begin(Supplier<Answer<T>> work) {
    if (running.isEmpty()) {
      running = Optional.of(lane.begin(what, work));
    }
  }

  /// Whether an answer may still come in time.
  boolean isUndecided() {
    return running.filter(job -> !job.isOverdue()).isPresent();
  }

  /// Whether the call was begun and has not returned.
  boolean isOnItsWay() {
    return running.filter(Job::isRunning).isPresent();
  }

  /// The answer as soon as it comes; after `patience` the one before, until `tolerance` is over
  /// too. Both count from the beginning of the reading.
  Answer<T> within(Duration patience, Duration tolerance) {
    var job = running.orElseThrow();
    var answer = job.within(patience);
    if (answer.isPresent()) {
      running = Optional.empty();
      last = answer;
    }
    return answer
        .or(() -> job.isOlderThan(tolerance) ? Optional.empty() : last)
        .orElseGet(job::noAnswer);
  }
}
