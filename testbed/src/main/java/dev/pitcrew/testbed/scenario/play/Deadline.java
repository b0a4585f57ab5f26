package dev.pitcrew.testbed.scenario.play;

import java.time.Duration;

/// A time after which waiting ends, on the clock that never jumps.
record Deadline(long atNanos) {

  static Deadline in(Duration duration) {
    return new Deadline(System.nanoTime() + duration.toNanos());
  }

  long leftNanos() {
    return atNanos - System.nanoTime();
  }

  boolean isOver() {
    return leftNanos() <= 0;
  }
}
