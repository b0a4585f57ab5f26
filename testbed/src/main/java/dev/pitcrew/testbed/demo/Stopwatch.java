package dev.pitcrew.testbed.demo;

import java.time.Duration;

/// Time since a moment, on the clock that never jumps.
record Stopwatch(long startNanos) {
  static Stopwatch start() {
    return new Stopwatch(System.nanoTime());
  }

  Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }
}
