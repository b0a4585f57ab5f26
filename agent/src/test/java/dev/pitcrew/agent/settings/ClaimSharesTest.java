package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.device.dra.ConsumableShares;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimSharesTest {
  private static final String REMOVE =
      "FleetPolicy spec.dra.consumableShares is 'memory': spec.dra.featureGates.ConsumableShares is false; set it to true or remove it; all else is in force";

  private static Said said(String dra) {
    return Said.all().functions("dra").dra(dra);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | Disabled[]",
        "{'consumableShares': 'disabled'} | Disabled[]",
        "{'consumableShares': 'memory'} | ByMemory[]",
        "{'consumableShares': 'unlimited', 'featureGates': {'ConsumableShares': true}} | Unlimited[]",
        "{'consumableShares': 4} | Counted[shares=4]",
        "{'consumableShares': '4'} | Counted[shares=4]",
        "{'consumableShares': 'disabled', 'featureGates': {'ConsumableShares': false}} | Disabled[]",
      })
  void sharesOfTheDocumentAreInForce(String dra, String shares) {
    Settings settings = said(dra).settings();

    assertThat(settings.dra().shares()).hasToString(shares);
    assertThat(settings.problems()).isEmpty();
  }

  /// NVIDIA's DRA driver does not start with it; this node goes on with devices of one claim.
  @ParameterizedTest
  @CsvSource({"many", "0", "-1", "''"})
  void otherValuesAreNamedWithWhatIsAllowed(String value) {
    Settings settings = said("{'consumableShares': '%s'}".formatted(value)).settings();

    assertThat(settings.dra().shares()).isEqualTo(new ConsumableShares.Disabled());
    assertThat(settings.problems())
        .singleElement()
        .satisfies(problem ->
            assertThat(problem.message())
                .contains(
                    "FleetPolicy spec.dra.consumableShares", value, ConsumableShares.ALLOWED));
  }

  /// The recorded driver refuses to start where the gate is not on. Here the value turns it on, and
  /// only a gate that says otherwise contradicts it.
  @Test
  void gateThatIsOffContradictsShares() {
    Settings settings =
        said("{'consumableShares': 'memory', 'featureGates': {'ConsumableShares': false}}")
            .settings();

    assertThat(settings.dra().shares()).isEqualTo(new ConsumableShares.Disabled());
    assertThat(settings.problems()).extracting(SettingsProblem::message).containsExactly(REMOVE);
  }

  /// The value that the recorded driver does not start with, with the same words for what is
  /// allowed.
  @Test
  void valueOfTheRecordingIsRefused() {
    String said =
        Facts.read("bad-start").path("steps").findValues("CONSUMABLE_SHARES").getLast().asText();

    assertThat(said).isEqualTo("many");
    assertThat(said("{'consumableShares': '%s'}".formatted(said)).settings().problems()).hasSize(1);
    assertThat(Facts.read("bad-start").toString())
        .contains("must be 'disabled', 'memory', 'unlimited', or a positive integer");
  }
}
