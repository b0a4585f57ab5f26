package dev.pitcrew.testbed.scenario.play;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ChangeSignalTest {

  @Test
  void aChangeRestartsTheQuiet() throws InterruptedException {
    try (var signal = new ChangeSignal()) {
      assertThat(signal.awaitQuiet(Duration.ofMillis(20), in(10_000))).isTrue();
      signal.mark();
      assertThat(signal.awaitQuiet(Duration.ofSeconds(60), in(20))).isFalse();
    }
  }

  @Test
  void aWaitForAChangeEndsWithIt() throws InterruptedException {
    try (var signal = new ChangeSignal()) {
      var begin = System.nanoTime();
      var marker = Thread.ofVirtual().start(signal::mark);
      signal.awaitChange(Duration.ofMillis(100));
      marker.join();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    }
  }

  private static Deadline in(int millis) {
    return Deadline.in(Duration.ofMillis(millis));
  }
}
