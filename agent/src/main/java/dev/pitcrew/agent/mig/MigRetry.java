package dev.pitcrew.agent.mig;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// When a layout that could not be made is tried again: more and more seldom. Another layout is
/// tried at once.
final class MigRetry {
  private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(30);

  private Duration pause = FIRST_PAUSE;
  private Optional<Failure> last = Optional.empty();

  private record Failure(MigLayoutChoice choice, Instant until) {}

  /// @return until when it is left alone
  Instant failed(MigLayoutChoice choice, Instant now) {
    pause = last.filter(it -> it.choice().equals(choice)).isPresent() ? longer() : FIRST_PAUSE;
    Instant until = now.plus(pause);
    last = Optional.of(new Failure(choice, until));
    return until;
  }

  private Duration longer() {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
  }

  /// How long a layout is left alone yet, where it is.
  Optional<Duration> rest(MigLayoutChoice choice, Instant now) {
    return last.filter(it -> it.choice().equals(choice))
        .map(it -> Duration.between(now, it.until()))
        .filter(Duration::isPositive);
  }

  void succeeded() {
    last = Optional.empty();
  }
}
