package dev.pitcrew.agent.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.dra.PassthroughDevices;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.hardware.HostRoot;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Settings with which NVIDIA's DRA driver does not start, so that no pod of the node gets a GPU.
/// The API server refuses most of them in a FleetPolicy; an agent that gets them goes on, and says
/// what has no effect.
class RecordedStartsTest {
  private static final String GATES = "FEATURE_GATES";
  private static final String SHARES = "CONSUMABLE_SHARES";

  @TempDir private Path host;

  private static List<JsonNode> recorded() {
    return Facts.read("bad-start")
        .path("steps")
        .valueStream()
        .filter(step -> step.at("/got/exit").asInt() == 1)
        .map(step -> step.at("/do/start and exit/env"))
        .filter(variables -> variables.has(GATES) || variables.has(SHARES))
        .toList();
  }

  /// @param row of the recording
  /// @param problem what the node says; empty where all is in force, or the API server alone says
  ///   that there is no such gate
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | DynamicMIG=true,PassthroughSupport=true | exclude each other",
        "1 | DynamicMIG=true,MPSSupport=true         | ''",
        "2 | DeviceMetadata=true                     | ''",
        "3 | NoSuchGate=true                         | ''",
        "4 | ''                                      | ''",
        "5 | ConsumableShares=true                   | spec.dra.consumableShares is 'many'",
        "6 | PassthroughSupport=true                 | no IOMMU group",
      })
  void claimsAreServedWithSettingsThatEndTheRecordedDriver(int row, String gates, String problem) {
    JsonNode variables = recorded().get(row);
    assertThat(variables.path(GATES).asText()).isEqualTo(gates);

    Settings settings = settings(gates, variables.path(SHARES).asText());
    assertThat(settings.state(NodeFunction.DRA)).isInstanceOf(FunctionState.On.class);
    var machines = new PassthroughDevices(new HostRoot(host));
    machines.look(settings.dra(), Optional.empty(), List.of());

    String said =
        Stream.concat(
                settings.problems().stream().map(SettingsProblem::message),
                machines.offer(List.of()).problem().stream())
            .collect(Collectors.joining("\n"));
    assertThat(said.isEmpty()).as(said).isEqualTo(problem.isEmpty());
    assertThat(said).contains(problem);
  }

  @Test
  void noRowOfTheRecordingIsLeftOut() {
    assertThat(recorded()).hasSize(7);
  }

  private static Settings settings(String gates, String shares) {
    String wanted =
        Stream.of(gates.split(","))
            .filter(gate -> !gate.isEmpty())
            .map(gate -> "'" + gate.replace("=", "': "))
            .collect(Collectors.joining(", "));
    String more = shares.isEmpty() ? "" : ", 'consumableShares': '%s'".formatted(shares);
    return Said.everything()
        .dra("{'nodeSelector': {}, 'featureGates': {%s}%s}".formatted(wanted, more))
        .settings();
  }
}
