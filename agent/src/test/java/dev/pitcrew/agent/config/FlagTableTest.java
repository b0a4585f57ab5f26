package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FlagTableTest {

  @Test
  void everyFlagHasATypeAndAValidDefault() {
    assertThat(Setting.all().map(Setting::flag))
        .containsExactlyInAnyOrderElementsOf(FlagTable.all());
    assertThat(Setting.all()).allSatisfy(setting -> assertThat(setting.defaultValue()).isNotNull());
  }

  @Test
  void everyFlagIsForAProgramAndExplained() {
    assertThat(FlagTable.all())
        .allSatisfy(flag -> {
          assertThat(flag.programs()).isNotEmpty();
          assertThat(flag.meaning()).endsWith(".");
        });
  }

  @Test
  void noSpellingMeansTwoFlags() {
    List<String> spellings =
        FlagTable.all().stream().flatMap(flag -> flag.spellings().stream()).toList();

    assertThat(spellings).doesNotHaveDuplicates();
  }
}
