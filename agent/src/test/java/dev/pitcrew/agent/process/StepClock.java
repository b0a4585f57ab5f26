package dev.pitcrew.agent.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A clock that a test moves, and that can run ahead in the middle of a change: the program that
/// divides asks it before each step.
final class StepClock implements InstantSource {
  private final Path journal;
  private Duration ahead = Duration.ZERO;
  private int leapsAt;
  private Duration leap = Duration.ZERO;
  private int asked;

  /// @param journal there while a change is under way
  StepClock(Path journal) {
    this.journal = journal;
  }

  Path journal() {
    return journal;
  }

  synchronized void move(Duration by) {
    ahead = ahead.plus(by);
  }

  /// @param step of a change, from 1
  synchronized void leapBefore(int step, Duration by) {
    leap = by;
    leapsAt = step;
    asked = 0;
  }

  @Override
  public synchronized Instant instant() {
    if (leapsAt > 0
        && Thread.currentThread().getName().equals(MigTestAgent.THREAD)
        && Files.exists(journal)
        && ++asked == leapsAt) {
      leapsAt = 0;
      move(leap);
    }
    return Instant.now().plus(ahead);
  }
}
