package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;

/// Plays steps, with a heading before and the time and the checks after each.
final class StepRunner {
  private final Screen screen;
  private final boolean isStrict;
  private int steps;
  private int checksMade;
  private int checksFailed;

  /// @param isStrict whether a check that fails ends the demo
  StepRunner(Screen screen, boolean isStrict) {
    this.screen = screen;
    this.isStrict = isStrict;
  }

  /// @throws TestbedException if the step cannot be played, or a check fails and that counts
  <T> T play(Step<T> step) {
    steps++;
    screen.heading("%d  %s".formatted(steps, step.title()));
    var watch = Stopwatch.start();
    var checks = new Checks();
    var result = step.play(checks);
    conclude(step, checks, watch);
    return result;
  }

  private void conclude(Step<?> step, Checks checks, Stopwatch watch) {
    var failed = checks.failed();
    checksMade += checks.count();
    checksFailed += failed.size();
    failed.forEach(check -> screen.text(check.explanation()));
    screen.text(
        "-- %s, checks that hold: %d of %d"
            .formatted(Words.of(watch.elapsed()), checks.count() - failed.size(), checks.count()));
    if (isStrict && !failed.isEmpty()) {
      throw new TestbedException(
          "step %d (%s): %s failed"
              .formatted(steps, step.title(), Words.counted(failed.size(), "check")));
    }
  }

  /// What all steps so far came to.
  String summary() {
    return "%s, checks that hold: %d of %d"
        .formatted(Words.counted(steps, "step"), checksMade - checksFailed, checksMade);
  }
}
