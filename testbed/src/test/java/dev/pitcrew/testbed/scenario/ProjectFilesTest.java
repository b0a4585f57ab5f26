package dev.pitcrew.testbed.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import dev.pitcrew.testbed.scenario.play.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The skip list and the project's own expected facts.
class ProjectFilesTest {
  @TempDir Path root;

  private final List<Scenario> scenarios = new ArrayList<>();

  @BeforeEach
  void writeScenarios() throws IOException {
    for (var number = 1; number <= 9; number++) {
      write("scenarios/s" + number + "/about", "x");
      write("scenarios/s" + number + "/golden.json", "{\"a\":1}");
    }
    scenarios.addAll(Scenario.readAll(root.resolve("scenarios")));
  }

  @Test
  void ownFactsReplaceTheGolden() throws IOException {
    own("s1", "{\"a\":2}");
    var expected = ExpectedFacts.read(Optional.of(root.resolve("own")), scenarios);
    assertThat(expected.of(scenarios.get(0), "golden.json"))
        .isEqualTo(FactsText.parse("{\"a\":2}"));
    assertThat(expected.of(scenarios.get(1), "golden.json"))
        .isEqualTo(FactsText.parse("{\"a\":1}"));
    assertThat(expected.reasons()).containsEntry("s1", "why");
  }

  @Test
  void moreThanAHandfulOfOwnFactsIsRefused() throws IOException {
    for (var scenario : scenarios) {
      own(scenario.name(), "{\"a\":2}");
    }
    assertRefused("at most 8 may");
  }

  @Test
  void ownFactsNeedAReason() throws IOException {
    own("s1", "{\"a\":2}");
    write("own/s1/reason", " \n");
    assertRefused("give a reason");
  }

  @Test
  void ownFactsThatDifferInNothingAreRefused() throws IOException {
    own("s1", "{\"a\":1}");
    assertRefused("is equal to");
  }

  @Test
  void ownFactsOfARecordingThatIsNotMadeAreRefused() throws IOException {
    own("s1", "{\"a\":2}");
    write("own/s1/golden-01.json", "{}");
    assertRefused("makes no such recording");
  }

  @Test
  void ownFactsOfAnUnknownScenarioAreRefused() throws IOException {
    own("typo", "{\"a\":2}");
    assertRefused("no scenario of this name");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "s1            ; give a reason",
        "s1 #          ; give a reason",
        "typo # later  ; there is no scenario 'typo'"
      })
  void aSkipLineWithoutReasonOrScenarioIsRefused(String line, String message) {
    assertThatThrownBy(() -> SkipList.parse(Path.of("skip"), List.of("", line), Set.of("s1")))
        .isInstanceOf(RefusedFile.class)
        .hasMessageStartingWith("skip:2: ")
        .hasMessageContaining(message);
  }

  @Test
  void aSkipLineGivesNameAndReason() {
    var skipped =
        SkipList.parse(Path.of("skip"), List.of("# all", "s1 # not yet # soon"), Set.of("s1"));
    assertThat(skipped.reasons()).containsExactly(Map.entry("s1", "not yet # soon"));
  }

  private void assertRefused(String message) {
    assertThatThrownBy(() -> ExpectedFacts.read(Optional.of(root.resolve("own")), scenarios))
        .isInstanceOf(RefusedFile.class)
        .hasMessageContaining(message);
  }

  private void own(String scenario, String facts) throws IOException {
    write("own/" + scenario + "/golden.json", facts);
    write("own/" + scenario + "/reason", "why\n");
  }

  private void write(String name, String text) throws IOException {
    var file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
