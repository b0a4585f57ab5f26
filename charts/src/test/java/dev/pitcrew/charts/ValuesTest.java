package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ValuesTest {
  /// Where we differ from the reference on purpose: the path, our default, the reason.
  private static final Map<String, Difference> DIFFERENCES =
      Map.of(
          "/operator/use_ocp_driver_toolkit",
          new Difference(
              "null",
              "the reference cannot distinguish its default false from a user's false, and drops both"));

  private static final Set<String> OUR_SECTIONS =
      Set.of("pitcrew", "fleetPolicy", "admissionPolicy", "networkPolicy", "monitoring");

  private static final Path VALUES = Path.of("pitcrew/values.yaml");
  private static final Path COPY = Path.of("pitcrew/files/values.yaml");
  private static final Path CONTRACT = Path.of("src/test/resources/contract/chart-values.json");
  private static final JsonNode OURS = Yaml.document(VALUES);
  private static final JsonNode REFERENCE = Yaml.document(CONTRACT);

  private record Difference(String ourDefault, String reason) {}

  @Test
  void referenceKeysHaveTheReferencesDefaults() {
    var ours = new TreeMap<>(Yaml.facts(OURS));
    ours.keySet().removeIf(path -> OUR_SECTIONS.contains(path.split("/", -1)[1]));
    var expected = new TreeMap<>(Yaml.facts(REFERENCE));
    DIFFERENCES.forEach((path, difference) -> expected.replace(path, difference.ourDefault()));

    assertThat(ours).containsExactlyInAnyOrderEntriesOf(expected);
  }

  @Test
  void everyDifferenceIsOneAndHasAReason() {
    var reference = Yaml.facts(REFERENCE);
    DIFFERENCES.forEach((path, difference) -> {
      assertThat(reference.get(path)).isNotNull().isNotEqualTo(difference.ourDefault());
      assertThat(difference.reason()).isNotBlank();
    });
  }

  @Test
  void ourOwnKeysStandInSectionsOfTheirOwn() {
    var sections =
        OURS.properties().stream()
            .map(Map.Entry::getKey)
            .filter(key -> !REFERENCE.has(key))
            .collect(Collectors.toSet());

    assertThat(sections).isEqualTo(OUR_SECTIONS);
  }

  @Test
  void theTemplatesHaveACopyOfTheValuesFile() throws IOException {
    if (Boolean.getBoolean("crds.update")) {
      Files.copy(VALUES, COPY, StandardCopyOption.REPLACE_EXISTING);
    }

    assertThat(Files.readString(COPY))
        .as("run the tests with -Dcrds.update=true to copy it")
        .isEqualTo(Files.readString(VALUES));
  }

  /// As with `helm upgrade --reuse-values`, where Helm takes the values of the release before in
  /// place of the chart's.
  @Test
  void aReleaseOfTheReferencesChartHasAllThatIsMissing(@TempDir Path folder) throws IOException {
    var reused = reusing(folder, Files.readString(CONTRACT));

    assertThat(reused.manifests("{}"))
        .isEqualTo(PitcrewChart.shared().manifests(Files.readString(CONTRACT)));
    assertThat(reused.render("{pitcrew: {replicas: 2}}").object("Deployment/gpu-operator"))
        .isEqualTo(
            PitcrewChart.shared()
                .render("{pitcrew: {replicas: 2}}")
                .object("Deployment/gpu-operator"));
  }

  @Test
  void valuesOfAnOlderRelease_stayInForce(@TempDir Path folder) throws IOException {
    var values =
        """
        driver: {enabled: false, version: 570.1}
        devicePlugin: {enabled: false}
        fleetPolicy: {agent: {enabled: false}}
        pitcrew: {runAsUser: 0, valuesOf: 0.0.1}
        """;

    assertThat(reusing(folder, values).manifests("{}"))
        .isEqualTo(PitcrewChart.shared().manifests(values));
  }

  /// What a user takes away with a null does not come back.
  @Test
  void nullTakesADefaultOfTheReferencesAway() {
    var policy =
        PitcrewChart.shared()
            .render("{daemonsets: {tolerations: null}}")
            .object("ClusterPolicy/cluster-policy");

    assertThat(policy.at("/spec/daemonsets").has("tolerations")).isFalse();
  }

  @Test
  void nullTakesADefaultOfOursAway() {
    var policy =
        PitcrewChart.shared()
            .render("{fleetPolicy: {agent: {functions: null}}}")
            .object("FleetPolicy/fleet");

    assertThat(policy.at("/spec/agent").has("functions")).isFalse();
    assertThat(policy.at("/spec/agent").has("enabled")).isTrue();
  }

  @Test
  void theValuesAreOfThisVersionOfTheChart() {
    assertThat(OURS.at("/pitcrew/valuesOf").asText())
        .isEqualTo(Yaml.document(Path.of("pitcrew/Chart.yaml")).path("version").asText());
  }

  private static PitcrewChart reusing(Path folder, String values) throws IOException {
    var chart =
        PitcrewChart.shared().copy(folder.resolve("reused"), "description: ", "description: ");
    Files.writeString(folder.resolve("reused").resolve("values.yaml"), values);
    return chart;
  }

  @Test
  void theReferencesWholeValuesFileChangesNothingButTheDifferences() {
    var all = PitcrewChart.shared().render(CONTRACT);
    var defaults = PitcrewChart.shared().render("{}");
    var policy = Yaml.facts(all.object("ClusterPolicy/cluster-policy"));

    assertThat(policy.remove("/spec/operator/use_ocp_driver_toolkit")).isEqualTo("false");
    assertThat(policy).isEqualTo(Yaml.facts(defaults.object("ClusterPolicy/cluster-policy")));
    assertThat(all.keys()).isEqualTo(defaults.keys());
  }
}
