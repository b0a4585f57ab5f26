package dev.pitcrew.kube.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {
  private static final Map<String, String> LABELS =
      Map.of("app", "trainer", "team.example.com/name", "vision", "empty", "");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|true",
        "' '|true",
        "app=trainer|true",
        "app==trainer|true",
        "app = trainer , empty|true",
        "app=other|false",
        "app!=other|true",
        "app!=trainer|false",
        "absent!=trainer|true",
        "absent=|false",
        "empty=|true",
        "app|true",
        "absent|false",
        "!absent|true",
        "! app|false",
        "app in (a, trainer)|true",
        "app in (a,b)|false",
        "absent in (a,)|false",
        "empty in (a,)|true",
        "app notin (a,b)|true",
        "app notin (trainer)|false",
        "absent notin (a)|true",
        "team.example.com/name=vision,app in (trainer),!x|true",
        "team.example.com/name=vision,app in (other),!x|false",
        "in in (a)|false",
        "notin|false",
      })
  void selectsAsTheApiServerDoes(String selector, boolean selects) {
    assertThat(LabelSelector.of(selector).selects(LABELS)).isEqualTo(selects);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "app=a b",
        "=a",
        "app in a",
        "app in (a",
        "app>3",
        "app in (a b)",
        ",",
        "-a",
        "app=a-"
      })
  void saysWhatCannotBeRead(String selector) {
    assertThatThrownBy(() -> LabelSelector.of(selector))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("label selector \"" + selector + "\"");
  }
}
