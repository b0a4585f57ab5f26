package dev.pitcrew.agent.mig.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.mig.config.Hooks.Command;
import dev.pitcrew.agent.mig.config.Hooks.Moment;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HooksParserTest {

  @Test
  void commandsKeepTheirOrderAndUnknownHooksAreIgnored() {
    Hooks hooks =
        HooksParser.parse(
            """
            version: v1
            hooks:
              apply-start:
              - {workdir: /tmp, command: /bin/bash, args: ["-x", "-c", stop], envs: {A: "1"}}
              - command: true-thing
              another-owners:
              - command: nothing
            """);

    assertThat(hooks)
        .isInstanceOfSatisfying(
            Hooks.Named.class,
            named -> {
              assertThat(named.at(Moment.START))
                  .containsExactly(
                      new Command(
                          "/bin/bash", List.of("-x", "-c", "stop"), Map.of("A", "1"), "/tmp"),
                      new Command("true-thing", List.of(), Map.of(), ""));
              assertThat(named.at(Moment.END)).isEmpty();
            });
    assertThat(HooksParser.parse("version: v1\n")).isEqualTo(Hooks.NONE);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                                                      | f:1:1: unknown version:
          'version: v2'                                           | f:1:10: version: unknown version: v2
          'hooks: {}'                                             | f:1:1: unable to parse with missing 'version' field
          '{version: v1, hook: {}}'                               | f:1:21: hook: unexpected field: hook
          '{version: v1, hooks: []}'                              | f:1:22: hooks: must be a map, not a list
          '{version: v1, hooks: {apply-exit: [{args: [a]}]}}'     | f:1:36: hooks.apply-exit[0]: missing required field: command
          '{version: v1, hooks: {apply-exit: [{command: 1}]}}'    | f:1:46: hooks.apply-exit[0].command: must be a text, not '1'
          '{version: v1, hooks: {apply-exit: [{shell: a}]}}'      | f:1:44: hooks.apply-exit[0].shell: unexpected field: shell
          """)
  void mistakesAreNamedWithTheirPlace(String file, String said) {
    assertThat(HooksParser.parse(file))
        .isInstanceOfSatisfying(
            Hooks.Rejected.class,
            rejected -> assertThat(rejected.problem().text("f").strip()).isEqualTo(said));
  }
}
