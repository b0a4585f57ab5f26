package dev.pitcrew.testbed.scenario.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FactsTextTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "1.0, 1.0",
    "0.0, 0.0",
    "0.5, 0.5",
    "0.001, 0.001",
    "0.00001, 1e-05",
    "123456789.25, 123456789.25",
    "1.0e+16, 1e+16",
    "2.5e-7, 2.5e-07",
    "12345678901234567890123.0, 1.2345678901234568e+22",
    "true, true",
    "null, null"
  })
  void numbersKeepTheirType(String json, String text) {
    assertThat(FactsText.compact(FactsText.parse(json))).isEqualTo(text);
  }

  @Test
  void textIsEscapedToAscii() {
    var value = FactsText.parse("\"\\u00e4 \\ud83d\\ude00 \\u007f \\t \\\\ \\\" /\"");
    assertThat(FactsText.compact(value))
        .isEqualTo("\"\\u00e4 \\ud83d\\ude00 \\u007f \\t \\\\ \\\" /\"");
  }

  @Test
  void keysAreSortedAndLevelsIndentedByOne() {
    var value = FactsText.parse("{\"b\":[1,{\"x\":{}}],\"a\":[]}");
    assertThat(FactsText.indented(value))
        .isEqualTo("{\n \"a\": [],\n \"b\": [\n  1,\n  {\n   \"x\": {}\n  }\n ]\n}\n");
    assertThat(FactsText.compact(value)).isEqualTo("{\"a\": [], \"b\": [1, {\"x\": {}}]}");
  }

  @Test
  void textThatIsNotJsonIsRefused() {
    assertThatThrownBy(() -> FactsText.parse("{")).hasMessageContaining("not JSON");
  }
}
