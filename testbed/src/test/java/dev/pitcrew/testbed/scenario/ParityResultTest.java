package dev.pitcrew.testbed.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.scenario.ScenarioResult.Broken;
import dev.pitcrew.testbed.scenario.ScenarioResult.Played;
import dev.pitcrew.testbed.scenario.compare.Comparison;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParityResultTest {
  @TempDir Path folder;

  @Test
  void equalFactsAndAnIgnoreFileInOrderAreParity() throws IOException {
    var ignore = ignore("K/a | f0 # why");
    assertThat(result(ignore, played("s", ignore, 100, 100)).problems()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"3, true", "4, false"})
  void theIgnoredShareIsLimited(int ignored, boolean isParity) throws IOException {
    var lines = IntStream.range(0, ignored).mapToObj("K/a | f%d # why"::formatted);
    var ignore = ignore(lines.toArray(String[]::new));
    assertThat(result(ignore, played("s", ignore, 100, 100)).isParity()).isEqualTo(isParity);
  }

  @Test
  void theShareIsNotLimitedWhereScenariosWereLeftOut() throws IOException {
    var ignore = ignore("K/a | f* # why");
    var result =
        ParityResult.of(Set.of("s", "t"), List.of(played("s", ignore, 100, 100)), ignore, true);
    assertThat(result.isParity()).isTrue();
  }

  @Test
  void everyKindOfProblemFailsTheRun() throws IOException {
    var ignore = ignore("K/b # not there");
    List<ScenarioResult> results =
        List.of(played("s", ignore, 100, 99), new Broken("t", "no cluster", Duration.ofSeconds(1)));
    assertThat(ParityResult.of(Set.of("s"), results, ignore, true).problems())
        .containsExactly(
            "1 scenario(s) not equal",
            "1 scenario(s) could not be played",
            "ignore line 1 hides nothing: remove it");
    assertThat(result(IgnoreFile.none()).problems()).containsExactly("no scenario was played");
  }

  @ParameterizedTest
  @CsvSource({
    "99999, 100000, 99999 of 100000 equal (99.99 %)",
    "1, 3, 1 of 3 equal (33.33 %)",
    "3, 3, 3 of 3 equal (100.00 %)",
    "0, 0, no facts compared"
  })
  void aScoreNeverRoundsUpToAll(int equal, int compared, String score) {
    assertThat(ParityReport.score(equal, compared)).isEqualTo(score);
  }

  @Test
  void theReportShowsTheFirstDifferencesBelowTheirScenario() {
    var text = new StringWriter();
    var report = new ParityReport(new PrintWriter(text), false);
    report.scenario(played("mig-single", IgnoreFile.none(), 20, 8));
    assertThat(text.toString().lines())
        .startsWith(
            "NOT EQUAL mig-single                       8 of 20 equal (40.00 %), 0 ignored"
                + "            2.5 s",
            "    golden.json: K/a | f10", "        expected 10", "        actual   (absent)")
        .endsWith("    and 2 more, shown with --verbose");
  }

  private IgnoreFile ignore(String... lines) throws IOException {
    return IgnoreFile.read(Files.write(folder.resolve("ignore"), List.of(lines)));
  }

  private static ParityResult result(IgnoreFile ignore, ScenarioResult... results) {
    return ParityResult.of(Set.of("s"), List.of(results), ignore, true);
  }

  private static Played played(String name, IgnoreFile ignore, int expected, int actual) {
    var comparison =
        new FactComparison(name, ignore)
            .compare(FactsText.parse(facts(expected)), FactsText.parse(facts(actual)));
    var comparisons = new LinkedHashMap<String, Comparison>(Map.of("golden.json", comparison));
    return new Played(name, comparisons, List.of(), Duration.ofMillis(2500));
  }

  private static String facts(int count) {
    return IntStream.range(0, count)
        .mapToObj("\"f%1$d\":%1$d"::formatted)
        .collect(Collectors.joining(",", "{\"K/a\":{", "}}"));
  }
}
