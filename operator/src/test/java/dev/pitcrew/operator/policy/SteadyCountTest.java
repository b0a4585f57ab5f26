package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SteadyCountTest {

  /// Counts at seconds, as `second=count`, and what holds after each.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0=3 5=3 9=3 10=3            | 0 0 0 3",
        "0=3 10=3 11=2 12=3 21=3     | 0 3 2 2 2",
        "0=3 10=3 11=2 12=3 22=3     | 0 3 2 2 3",
        "0=1 1=0 10=1 11=0 30=1      | 0 0 0 0 0",
        "0=3 5=1 10=3                | 0 0 1",
        "0=1 60=1                    | 0 1",
        "0=0 60=0                    | 0 0",
      })
  void aRiseHoldsAfterAWhileAndAFallAtOnce(String counts, String held) {
    var steady = new SteadyCount();
    var found =
        Arrays.stream(counts.split(" ", -1))
            .map(it -> it.split("=", -1))
            .map(it ->
                steady.take(
                    Integer.parseInt(it[1]), Instant.EPOCH.plusSeconds(Long.parseLong(it[0]))))
            .map(String::valueOf)
            .toList();

    assertThat(String.join(" ", found)).isEqualTo(held);
  }
}
