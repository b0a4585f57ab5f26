package dev.pitcrew.testbed.binaries;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// Shows a waiting user what is being done, one line at a time.
@FunctionalInterface
public interface Progress {
  void line(String line);

  /// How long nothing is said while nothing changes.
  default Duration period() {
    return Duration.ofSeconds(5);
  }

  /// Lines on standard error.
  static Progress standardError() {
    return line -> System.err.println("testbed: " + line);
  }

  /// The same, with `heading` before each line.
  default Progress under(String heading) {
    var whole = this;
    return new Progress() {
      @Override
      public void line(String line) {
        whole.line(heading + line);
      }

      @Override
      public Duration period() {
        return whole.period();
      }
    };
  }

  /// Prints `text` of the time that has passed at once and then every [#period()] until closed.
  default Ticker regularly(Function<Duration, String> text) {
    return new Ticker(this, text);
  }

  /// Minutes and seconds, as `6 min 10 s`.
  static String words(Duration duration) {
    var minutes = duration.toMinutes();
    return minutes == 0
        ? duration.toSeconds() + " s"
        : "%d min %d s".formatted(minutes, duration.toSecondsPart());
  }

  /// A running display of elapsed time.
  final class Ticker implements AutoCloseable {
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
        } while (!closed.await(progress.period().toMillis(), TimeUnit.MILLISECONDS));
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
