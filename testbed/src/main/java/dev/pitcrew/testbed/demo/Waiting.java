package dev.pitcrew.testbed.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Shows what is waited for, once that takes longer than a user likes to see no output.
final class Waiting implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration TERMINAL_PERIOD = Duration.ofMillis(200);
  private static final Duration FILE_PERIOD = Duration.ofSeconds(5);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Stopwatch watch = Stopwatch.start();
  private final Screen screen;
  private final Thread printer;

  Waiting(Screen screen, Supplier<String> text) {
    this.screen = screen;
    this.printer = Thread.ofVirtual().start(() -> print(text));
  }

  private void print(Supplier<String> text) {
    var period = screen.isTerminal() ? TERMINAL_PERIOD : FILE_PERIOD;
    try {
      for (var pause = TIMEOUT; !isClosedWithin(pause); pause = period) {
        screen.progress("... %s (%d s)".formatted(text.get(), watch.elapsed().toSeconds()));
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosedWithin(Duration pause) throws InterruptedException {
    return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      printer.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    screen.erase();
  }
}
