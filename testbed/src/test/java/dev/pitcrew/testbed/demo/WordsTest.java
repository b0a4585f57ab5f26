package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class WordsTest {
  @Test
  void aLineIsBrokenBeforeTheWordThatDoesNotFit() {
    assertThat(Words.wrapped("aa bb cc", 5)).containsExactly("aa bb", "cc");
  }

  @Test
  void aWordThatFitsNowhereIsKeptWhole() {
    assertThat(Words.wrapped("a bbbbbbbb c", 4)).containsExactly("a", "bbbbbbbb", "c");
  }

  @Test
  void nothingIsOneEmptyLine() {
    assertThat(Words.wrapped("", 4)).containsExactly("");
  }

  @Test
  void aCutIsMarked() {
    assertThat(Words.shortened("abcdef", 6)).isEqualTo("abcdef");
    assertThat(Words.shortened("abcdefg", 6)).isEqualTo("abc...");
  }

  @Test
  void shortTimesAreInMilliseconds() {
    assertThat(Words.of(Duration.ofMillis(999))).isEqualTo("999 ms");
    assertThat(Words.of(Duration.ofMillis(1250))).isEqualTo("1.3 s");
  }

  @Test
  void one_isSingular() {
    assertThat(Words.counted(1, "check")).isEqualTo("1 check");
    assertThat(Words.counted(2, "check")).isEqualTo("2 checks");
  }
}
