package dev.pitcrew.agent.driver;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// When the Node is updated with what the manager waits for: neither for a wait that ends within a
/// moment, nor for each of many pods that end one by one.
final class WaitNotes {
  private static final Duration MOMENT = Duration.ofSeconds(5);

  private final InstantSource clock;
  private Optional<Instant> next = Optional.empty();

  WaitNotes(InstantSource clock) {
    this.clock = clock;
  }

  /// How long until it is to be said; empty where the Node says it already. What the manager before
  /// this one said is corrected at once.
  ///
  /// @param said what the Node says
  Optional<Duration> untilSaid(String words, Optional<String> said) {
    if (said.equals(Optional.of(words))) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    Instant at = next.orElseGet(() -> said.isPresent() ? now : now.plus(MOMENT));
    next = Optional.of(at);
    return Optional.of(at.isAfter(now) ? Duration.between(now, at) : Duration.ZERO);
  }

  /// It was said, or could not be.
  void wasSaid() {
    next = Optional.of(clock.instant().plus(MOMENT));
  }

  /// What was waited for is over.
  void isOver() {
    next = Optional.empty();
  }
}
