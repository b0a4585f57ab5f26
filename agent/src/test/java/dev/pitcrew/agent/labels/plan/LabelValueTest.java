package dev.pitcrew.agent.labels.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelValueTest {

  @ParameterizedTest
  @CsvSource({
    "a space separated string, a-space-separated-string",
    "some(thing)else, somethingelse",
    "some ( thing )else, some-thing-else",
    "NVIDIA-TITAN-X-(Pascal), NVIDIA-TITAN-X-Pascal",
    "' input  with multiple   spaces   ', input-with-multiple-spaces",
    "some [ / thing / ]else, some-thing-else",
    "some-thing.else_new, some-thing.else_new",
    "'', ''",
  })
  void textsAreSanitisedAsTheReferenceDoes(String text, String expected) {
    assertThat(LabelValue.sanitised(text)).isEqualTo(expected);
  }

  @Test
  void legalValueHasAtMost63CharactersAndNoSignsAtItsEnds() {
    assertThat(LabelValue.legal("-" + "a".repeat(70))).isEqualTo("a".repeat(62));
    assertThat(LabelValue.legal("_.a b.-")).isEqualTo("ab");
    assertThat(LabelValue.legal("a".repeat(62) + "-b")).isEqualTo("a".repeat(62));
    assertThat(LabelValue.legal("...")).isEmpty();
  }

  @Test
  void modelIsCutForTheSakeOfWhatIsSpecialAboutTheProduct() {
    String product = LabelValue.product("M".repeat(80), List.of("MIG", "1g.5gb", "SHARED"));

    assertThat(product).hasSize(63).startsWith("MMM").endsWith("M-MIG-1g.5gb-SHARED");
  }
}
