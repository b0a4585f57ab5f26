package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ValuesTest {
  /// Where we differ from the reference on purpose: the path, our default, the reason.
  private static final Map<String, Difference> DIFFERENCES =
      Map.of(
          "/operator/use_ocp_driver_toolkit",
          new Difference(
              "null",
              "the reference cannot tell its default false from a user's false, and drops both"));

  private static final Set<String> OUR_SECTIONS =
      Set.of("pitcrew", "fleetPolicy", "admissionPolicy", "networkPolicy", "monitoring");

  private static final JsonNode OURS = Yaml.document(Path.of("pitcrew/values.yaml"));
  private static final JsonNode REFERENCE =
      Yaml.document(Path.of("src/test/resources/contract/chart-values.json"));

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
  void theReferencesWholeValuesFileChangesNothingButTheDifferences() {
    var all =
        PitcrewChart.shared().render(Path.of("src/test/resources/contract/chart-values.json"));
    var defaults = PitcrewChart.shared().render("{}");
    var policy = Yaml.facts(all.object("ClusterPolicy/cluster-policy"));

    assertThat(policy.remove("/spec/operator/use_ocp_driver_toolkit")).isEqualTo("false");
    assertThat(policy).isEqualTo(Yaml.facts(defaults.object("ClusterPolicy/cluster-policy")));
    assertThat(all.keys()).isEqualTo(defaults.keys());
  }
}
