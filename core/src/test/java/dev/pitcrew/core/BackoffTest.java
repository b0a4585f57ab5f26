package dev.pitcrew.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackoffTest {

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

  @ParameterizedTest
  @CsvSource({"1, 100", "2, 200", "9, 25600", "10, 30000", "1000000, 30000"})
  void theCeilingDoublesUpToTheCap(int attempt, long millis) {
    assertThat(BACKOFF.ceiling(attempt)).isEqualTo(Duration.ofMillis(millis));
  }

  @Test
  void delaysSpreadFromZeroToTheCeiling() {
    var random = new Random(1);
    var delays = random.ints(1_000).mapToObj(_ -> BACKOFF.delay(3, random).toMillis()).toList();
    assertThat(delays)
        .allMatch(delay -> delay >= 0 && delay <= 400)
        .anyMatch(delay -> delay < 20)
        .anyMatch(delay -> delay > 380);
    assertThat(BACKOFF.delay(0, random)).isZero();
  }

  @Test
  void anOutageOfTenMinutesCostsFewTriesAndEndsWithinHalfAMinute() {
    var outage = Duration.ofMinutes(10);
    for (int seed = 0; seed < 1_000; seed++) {
      var random = new Random(seed);
      int tries = 0;
      Duration elapsed = Duration.ZERO;
      while (elapsed.compareTo(outage) < 0) {
        elapsed = elapsed.plus(BACKOFF.delay(++tries, random));
      }
      assertThat(elapsed.minus(outage)).isLessThanOrEqualTo(Duration.ofSeconds(30));
      assertThat(tries).isLessThan(100);
    }
  }
}
