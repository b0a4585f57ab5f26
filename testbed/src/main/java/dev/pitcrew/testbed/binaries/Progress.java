package dev.pitcrew.testbed.binaries;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// Tells a waiting person what goes on, one line at a time.
@FunctionalInterface
public interface Progress {
  void line(String line);

  /// Lines on standard error.
  static Progress standardError() {
    return line -> System.err.println("testbed: " + line);
  }

  /// Prints `text` of the time that has passed at once and then every five seconds until closed.
  default Ticker every5Seconds(Function<Duration, String> text) {
    return new Ticker(this, text);
  }

  /// A running display of elapsed time.
  final class Ticker implements AutoCloseable {
    private static final long PERIOD_SECONDS = 5;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final long startNanos = System.nanoTime();

    private Ticker(Progress progress, Function<Duration, String> text) {
      Thread.ofVirtual().start(() -> run(progress, text));
    }

    public Duration elapsed() {
      return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    private void run(Progress progress, Function<Duration, String> text) {
      try {
        do {
          progress.line(text.apply(elapsed()));
        } while (!closed.await(PERIOD_SECONDS, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }
}
