package dev.pitcrew.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoTextTest {

  @ParameterizedTest
  @ValueSource(strings = {"1", "t", "T", "TRUE", "true", "True"})
  void wordsForTrue(String word) {
    assertThat(GoText.bool(word)).contains(true);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "f", "F", "FALSE", "false", "False"})
  void wordsForFalse(String word) {
    assertThat(GoText.bool(word)).contains(false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yes", "tRUE", "on", "2", " true"})
  void otherWordsAreNoTruths(String word) {
    assertThat(GoText.bool(word)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "42, 42",
    "-7, -7",
    "+7, 7",
    "0x1F, 31",
    "0o17, 15",
    "017, 15",
    "0b101, 5",
    "1_000, 1000"
  })
  void prefix_decidesTheBase(String text, int expected) {
    assertThat(GoText.integer(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1.5", "0x", "09", "99999999999", "- 1"})
  void otherTextsAreNoWholeNumbers(String text) {
    assertThat(GoText.integer(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0, PT0S",
    "15s, PT15S",
    "1m30s, PT1M30S",
    "1.5h, PT1H30M",
    ".5s, PT0.5S",
    "1.s, PT1S",
    "500ms, PT0.5S",
    "7us, PT0.000007S",
    "7µs, PT0.000007S",
    "5ns, PT0.000000005S",
    "-1m, PT-1M",
    "+1h1s, PT1H1S",
  })
  void durationsArePairsOfNumberAndUnit(String text, Duration expected) {
    assertThat(GoText.duration(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "s", ".s", "1d", "1 s", "1s2", "--1s", "1e3s", "9999999h"})
  void otherTextsAreNoDurations(String text) {
    assertThat(GoText.duration(text)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s",
    "PT1M, 1m0s",
    "PT1H, 1h0m0s",
    "PT1M30.5S, 1m30.5s",
    "PT0.5S, 500ms",
    "PT0.000005S, 5µs",
    "PT0.000000005S, 5ns",
    "PT-1.5S, -1.5s",
    "PT100S, 1m40s",
    "PT20S, 20s",
  })
  void durationsAreWrittenAsGoWritesThem(Duration duration, String expected) {
    assertThat(GoText.written(duration)).isEqualTo(expected);
    assertThat(GoText.duration(expected)).contains(duration);
  }
}
