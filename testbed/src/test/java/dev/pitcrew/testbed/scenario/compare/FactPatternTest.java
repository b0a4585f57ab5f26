package dev.pitcrew.testbed.scenario.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FactPatternTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a | b      ; a | b           ; true",
        "a | b      ; a | bc          ; false",
        "a | *      ; a | b | c       ; true",
        "a | *      ; a               ; false",
        "* | env    ; x | y | env     ; true",
        "a | ?      ; a | b           ; true",
        "a | ?      ; a | bc          ; false",
        "a | [0]    ; a | [0]         ; true",
        "a | [0]    ; a | 0           ; false",
        "a | [ab]*  ; a | b           ; false",
        "a.b        ; axb             ; false",
        "a | \\E*   ; a | \\Ex        ; true",
        "a | c(*)   ; a | c(d)        ; true"
      })
  void onlyStarAndQuestionMarkAreSpecial(String pattern, String path, boolean isMatch) {
    assertThat(FactPattern.of(pattern).matches(path)).isEqualTo(isMatch);
  }
}
