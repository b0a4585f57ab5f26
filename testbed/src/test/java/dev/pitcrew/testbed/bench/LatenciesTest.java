package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LatenciesTest {
  @ParameterizedTest
  @CsvSource({
    "1, 50, 1",
    "1, 99, 1",
    "2, 50, 1",
    "3, 50, 2",
    "30, 50, 15",
    "30, 99, 30",
    "200, 99, 198"
  })
  void aPercentileIsATrialThatSoManyDidNotExceed(int trials, int percent, int expectedMillis) {
    var longestFirst =
        IntStream.iterate(trials, millis -> millis > 0, millis -> millis - 1)
            .mapToObj(Duration::ofMillis)
            .toList();
    assertThat(new Latencies(longestFirst).percentile(percent))
        .isEqualTo(Duration.ofMillis(expectedMillis));
  }
}
