package dev.pitcrew.core.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.error.YAMLException;

class YamlTextTest {
  @Test
  void refusesAliasesThatAddTooMuch() {
    var text = new StringBuilder("version: v1\na0: &a0 [x, x, x, x]\n");
    for (int i = 1; i < 12; i++) {
      text.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(4)));
    }

    assertRefused(text.toString(), "line 9, key a7: aliases add more than 100000 characters");
  }

  @Test
  void refusesAliasesOfALongText() {
    String text = "long: &a " + "x".repeat(1_000) + "\nsharing: [" + "*a,".repeat(1_000) + "]\n";

    assertRefused(text, "line 2, key sharing: aliases add more than 100000 characters");
  }

  @ParameterizedTest
  @ValueSource(strings = {"flags:\n  plugin: &a [*a]\n", "flags:\n  plugin: &a {b: *a}\n"})
  void refusesACycle(String text) {
    assertRefused(text, "an alias stands for a value that contains the alias itself");
  }

  private static void assertRefused(String text, String why) {
    assertThatThrownBy(() -> YamlText.parse(text))
        .isInstanceOf(YAMLException.class)
        .hasMessageContaining(why)
        .hasMessageEndingWith("; write the values out instead");
    assertThatThrownBy(() -> YamlText.compose(text))
        .isInstanceOf(YAMLException.class)
        .hasMessageContaining(why);
  }

  @Test
  void readsAnchorsAndMerges() {
    var text = "base: &base {replicas: 2}\ngpu: *base\nother: {<<: *base, rename: x}\n";

    assertThat(YamlText.parse(text))
        .isEqualTo(
            Map.of(
                "base", Map.of("replicas", 2),
                "gpu", Map.of("replicas", 2),
                "other", Map.of("replicas", 2, "rename", "x")));
  }

  @Test
  void boundsNothingThatIsWrittenOut() {
    assertThat(YamlText.parse("[" + "value,".repeat(100_000) + "]"))
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(100_000);
    assertThat(YamlText.parse("")).isNull();
    assertThat(YamlText.parse("a: [1]\n---\nb: 2\n")).isEqualTo(Map.of("a", List.of(1)));
  }
}
