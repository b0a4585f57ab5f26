package dev.pitcrew.agent.config;

import dev.pitcrew.core.text.GoText;
import java.time.Duration;
import java.util.Optional;

/// How long to wait between two rounds.
public sealed interface SleepInterval {
  record Every(Duration duration) implements SleepInterval {}

  /// One round; the next on request.
  record Infinite() implements SleepInterval {}

  static Optional<SleepInterval> parse(String text) {
    return text.equals("infinite")
        ? Optional.of(new Infinite())
        : GoText.duration(text).map(Every::new);
  }
}
