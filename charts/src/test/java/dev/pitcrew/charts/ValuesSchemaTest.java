package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// That it accepts the reference's whole values file and the values of all recorded scenarios is
/// seen by the tests that render these.
class ValuesSchemaTest {
  private static final Path SCHEMA = Path.of("pitcrew/values.schema.json");
  private static final PitcrewChart CHART = PitcrewChart.shared();

  @Test
  void isDerivedFromTheValuesFile() throws IOException {
    var schema = new ValuesSchema(Path.of("pitcrew/values.yaml")).text();
    if (Boolean.getBoolean("crds.update")) {
      Files.writeString(SCHEMA, schema);
    }

    assertThat(schema)
        .as("run the tests with -Dcrds.update=true to derive it again")
        .isEqualTo(Files.readString(SCHEMA));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{driver: false}                                | '/driver': got boolean, want null or object",
        "{driver: {enabled: maybe}}                     | '/driver/enabled': 'maybe' does not match pattern",
        "{driver: {enabled: {a: b}}}                    | '/driver/enabled': got object, want null or boolean or string",
        "{driver: {version: [580]}}                     | '/driver/version': got array, want null or boolean or number or string",
        "{driver: {upgradePolicy: {maxParallelUpgrades: some}}} | '/driver/upgradePolicy/maxParallelUpgrades': 'some' does not match pattern",
        "{daemonsets: {tolerations: nvidia.com/gpu}}    | '/daemonsets/tolerations': got string, want null or array or object",
        "{pitcrew: {replicas: 1.5}}                     | '/pitcrew/replicas': got number, want null or integer or string",
        "{fleetPolicy: {agent: {functions: all}}}       | '/fleetPolicy/agent/functions': got string, want null or array or object",
      })
  void valueOfAWrongTypeIsRefusedByItsPath(String values, String message) {
    assertThatThrownBy(() -> CHART.manifests(values))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("values don't meet the specifications of the schema")
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{driver: {version: 580, usePrecompiled: 'true'}}",
        "{driver: {enabled: 'false', repository: null}, toolkit: {enabled: null}}",
        "{driver: {upgradePolicy: {maxParallelUpgrades: '2', maxUnavailable: 1}}}",
        "{daemonsets: {tolerations: null, rollingUpdate: {maxUnavailable: 10}}}",
        "{operator: {affinity: null, resources: {limits: {cpu: 1, memory: null}}}}",
        "{dcgmExporter: {env: null}, devicePlugin: {resources: null, args: null}}",
        "{operator: {use_ocp_driver_toolkit: true, logging: {level: 5}}}",
        "{extraObjects: {a: \"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\"}}",
        "{global: {registry: r}, unknown: [1], driver: {enbaled: {a: b}}}",
        "{node-feature-discovery: {worker: {tolerations: null}, enabled: 1}}",
      })
  void whatTheReferencesTemplatesWriteIsAccepted(String values) {
    assertThatCode(() -> CHART.manifests(values)).doesNotThrowAnyException();
  }

  @Test
  void commentsOfTheFileDescribeItsKeys() {
    var schema = Yaml.document(SCHEMA);

    assertThat(schema.at("/properties/mig/properties/strategy/description").asText())
        .isEqualTo("none, single or mixed.");
    assertThat(schema.findValuesAsText("description"))
        .hasSizeGreaterThan(40)
        .noneMatch(text -> text.contains("----"))
        .doesNotContainAnyElementsOf(List.of("Pitcrew", "The operator", "More"));
  }
}
