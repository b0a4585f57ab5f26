package dev.pitcrew.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  /// The documentation's table is this one.
  @Test
  void documentationListsEveryFlagAsItIs() throws IOException {
    String documentation = Files.readString(Path.of("../docs/agent-configuration.md"));

    assertThat(FlagTable.all())
        .allSatisfy(flag -> assertThat(documentation).contains(documented(flag)));
  }

  private static String documented(Flag flag) {
    return Stream.of(
            code(flag.spellings().stream().map("--"::concat).toList()),
            code(flag.environment()),
            code(flag.defaultText().isEmpty() ? List.of() : List.of(flag.defaultText())),
            code(flag.fileKey().isEmpty() ? List.of() : List.of(flag.fileKey())),
            Stream.of(Program.values())
                .filter(flag::isFor)
                .map(Program::value)
                .collect(Collectors.joining(", ")),
            flag.meaning())
        .collect(Collectors.joining(" | ", "| ", " |"));
  }

  private static String code(List<String> words) {
    return words.stream().map("`%s`"::formatted).collect(Collectors.joining(", "));
  }
}
