package dev.pitcrew.testbed.scenario.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ShellWordsTest {

  static Stream<Arguments> lines() {
    return Stream.of(
        Arguments.of("delete node n", List.of("delete", "node", "n")),
        Arguments.of("  a \t b ", List.of("a", "b")),
        Arguments.of("-p '{\"a\": 1}'", List.of("-p", "{\"a\": 1}")),
        Arguments.of("a'b c'd", List.of("ab cd")),
        Arguments.of("\"a \\\" \\n b\" ''", List.of("a \" \\n b", "")),
        Arguments.of("a\\ b '\\'", List.of("a b", "\\")),
        Arguments.of("", List.of()));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void aLineIsSplitAsAShellDoes(String line, List<String> words) {
    assertThat(ShellWords.of(line)).isEqualTo(words);
  }

  @Test
  void anOpenQuoteIsRefused() {
    assertThatThrownBy(() -> ShellWords.of("a 'b")).hasMessageContaining("close the quote");
  }
}
