package dev.pitcrew.testbed.scenario.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScenarioTest {
  private static final Duration QUIET = Duration.ofSeconds(3);

  @TempDir Path folder;

  @Test
  void allScenariosOfTheProjectCanBeRead() throws IOException {
    var scenarios = Scenario.readAll(Path.of("../parity/scenarios"));
    assertThat(scenarios).extracting(Scenario::name).contains("default-one-gpu-node").isSorted();
    assertThat(scenarios).extracting(Scenario::about).doesNotContain("");
  }

  @Test
  void stepsComeInTheOrderOfTheirNumbers() throws IOException {
    write("about", "x");
    write("steps/02-b.yaml", "");
    write("steps/01-z.kubectl", "");
    write("golden.json", "{}");
    write("golden-01.json", "{}");
    write("golden-02.json", "{}");
    assertThat(Scenario.read(folder).goldens())
        .containsExactly("golden.json", "golden-01.json", "golden-02.json");
  }

  @Test
  void aStepWithoutExpectedFactsIsRefused() throws IOException {
    write("about", "x");
    write("steps/01-z.kubectl", "");
    write("golden.json", "{}");
    assertThatThrownBy(() -> Scenario.read(folder))
        .isInstanceOf(RefusedFile.class)
        .hasMessageContaining("golden-01.json");
  }

  @Test
  void quietIsTakenInProportionAndStepsGoBeforeTheScenario() {
    var timing = timing("{'quiet':12,'limit':90,'01':{'limit':300,'until':{'Node/n | x':1}}}");
    assertThat(timing.first(QUIET))
        .isEqualTo(new Pace(Duration.ofSeconds(6), Duration.ofSeconds(90), Map.of()));
    assertThat(timing.after(new Scenario.Step("01", folder), QUIET))
        .isEqualTo(
            new Pace(Duration.ofSeconds(6), Duration.ofSeconds(300), Map.of("Node/n | x", "1")));
  }

  @Test
  void withoutATimingThePlayersOwnQuietCounts() throws IOException {
    assertThat(Timing.read(folder.resolve("timing.json")).first(QUIET))
        .isEqualTo(new Pace(QUIET, Duration.ofSeconds(60), Map.of()));
  }

  private static Timing timing(String json) {
    return new Timing(FactsText.parse(json.replace('\'', '"')));
  }

  private void write(String name, String text) throws IOException {
    var file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
