package dev.pitcrew.testbed.scenario.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IgnoreFileTest {

  @Test
  void linesGiveScenariosPatternAndReason() {
    var file =
        parse(
            "# comment",
            "",
            "DaemonSet/a#2 | env | X#2 | * # why # so",
            "[one, two] Node/n | labels* # because");
    assertThat(file.lines())
        .extracting(
            IgnoreLine::number,
            IgnoreLine::scenarios,
            line -> line.pattern().toString(),
            IgnoreLine::reason)
        .containsExactly(
            tuple(3, Set.of(), "DaemonSet/a#2 | env | X#2 | *", "why # so"),
            tuple(4, Set.of("one", "two"), "Node/n | labels*", "because"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "DaemonSet/a | pod              ; give a reason",
        "DaemonSet/a | pod #            ; give a reason",
        "DaemonSet/a | pod#reason       ; give a reason",
        "* | pod # all                  ; no wildcard in Kind/name, but found '*'",
        "DaemonSet/* | pod # all        ; found 'DaemonSet/*'",
        "DaemonSet/a* # all             ; found 'DaemonSet/a*'",
        "*Set/a | pod # all             ; found '*Set/a'",
        "DaemonSet/? | pod # all        ; found 'DaemonSet/?'",
        "[] DaemonSet/a | pod # all     ; name the scenarios",
        "[a,] DaemonSet/a | pod # all   ; name the scenarios"
      })
  void aLineThatHidesTooMuchOrSaysTooLittleIsRefused(String line, String message) {
    assertThatThrownBy(() -> parse("# first", line))
        .isInstanceOf(RefusedFile.class)
        .hasMessageStartingWith("ignore:2: ")
        .hasMessageContaining(message);
  }

  private static IgnoreFile parse(String... lines) {
    return IgnoreFile.parse(Path.of("ignore"), List.of(lines));
  }
}
