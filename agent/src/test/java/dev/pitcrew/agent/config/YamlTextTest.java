package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.error.YAMLException;

class YamlTextTest {
  @Test
  void aliasesThatStandForMillionsOfValuesAreRefusedBeforeTheyAreMade() {
    String bomb =
        IntStream.range(0, 12)
            .mapToObj(level ->
                "a%d: &a%d [%s]\n"
                    .formatted(
                        level,
                        level,
                        IntStream.range(0, 4)
                            .mapToObj(_ -> level == 0 ? "x" : "*a" + (level - 1))
                            .collect(Collectors.joining(", "))))
            .collect(Collectors.joining());

    assertThatThrownBy(() -> YamlText.parse(bomb))
        .isInstanceOf(YAMLException.class)
        .hasMessageContaining("more than 100000 values");
    assertThatThrownBy(() -> YamlText.compose(bomb)).isInstanceOf(YAMLException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"&a [*a]", "&a {b: [*a]}", "a: &a {b: &b {c: *a, d: *b}}"})
  void aliasOfAValueThatItIsAPartOfIsRefused(String text) {
    assertThatThrownBy(() -> YamlText.parse(text))
        .isInstanceOf(YAMLException.class)
        .hasMessageContaining("a part of");
  }

  @Test
  void fewAliasesAreReadAsTheyAreMeant() {
    assertThat(YamlText.parse("a: &a [1, 2]\nb: *a\nc: {<<: {d: *a}}\n"))
        .isEqualTo(Map.of("a", List.of(1, 2), "b", List.of(1, 2), "c", Map.of("d", List.of(1, 2))));
  }
}
