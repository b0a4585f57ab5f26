package dev.pitcrew.cli.diag;

import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// Says how far a collection is, once it takes longer than a user waits without a word.
public final class Progress {
  /// Set by the launcher, since only a shell finds it out without a library.
  private static final String IS_TERMINAL = "pitcrew.terminal.errors";

  private static final Duration QUIET = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration PAUSE_OF_LINES = Duration.ofSeconds(10);

  private final PrintStream err;
  private final InstantSource clock;
  private final boolean isTerminal = Boolean.getBoolean(IS_TERMINAL);
  private Instant next;
  private boolean isShown;

  public Progress(PrintStream err, InstantSource clock) {
    this.err = err;
    this.clock = clock;
    this.next = clock.instant().plus(QUIET);
  }

  /// On a terminal the line before is replaced; in a file there are few lines.
  void step(int done, int total) {
    Instant now = clock.instant();
    if (now.isBefore(next)) {
      return;
    }
    String text = "collecting: %d of %d requests".formatted(done, total);
    next = now.plus(isTerminal ? PAUSE : PAUSE_OF_LINES);
    isShown = true;
    if (isTerminal) {
      err.print("\r" + text + "\u001b[K");
      err.flush();
    } else {
      err.println(text);
    }
  }

  void end() {
    if (isShown && isTerminal) {
      err.print("\r\u001b[K");
      err.flush();
    }
  }
}
