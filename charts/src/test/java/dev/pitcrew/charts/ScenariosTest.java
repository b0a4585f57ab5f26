package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ScenariosTest {
  private static final PitcrewChart CHART = PitcrewChart.shared();
  private static final Set<String> KINDS = Set.of("ClusterPolicy", "NVIDIADriver", "GPUCluster");

  static List<Scenario> scenarios() {
    return Scenario.all();
  }

  static List<Scenario> scenariosWithConfigMaps() {
    return Scenario.all().stream().filter(Scenario::hasExtraObjects).toList();
  }

  @Test
  void allScenariosAreHere() {
    assertThat(scenarios()).hasSize(62);
    assertThat(scenariosWithConfigMaps()).hasSize(4);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void valuesGiveTheResourcesOfTheReference(Scenario scenario) {
    var actual =
        CHART
            .render(scenario.values())
            .ofKinds(KINDS)
            .collect(Collectors.toMap(Rendered::key, o -> o));
    var expected = scenario.expected();

    assertThat(actual.keySet()).isEqualTo(expected.keySet());
    for (var key : expected.keySet()) {
      assertThat(unedited(scenario, key, actual))
          .containsExactlyInAnyOrderEntriesOf(unedited(scenario, key, expected));
    }
  }

  @ParameterizedTest
  @MethodSource("scenariosWithConfigMaps")
  void valuesGiveTheConfigMapsOfTheReference(Scenario scenario) {
    var recorded =
        scenario.extraObjects().stream()
            .collect(Collectors.toMap(Rendered::key, o -> o.path("data")));
    var rendered = CHART.render(scenario.values()).ofKinds(Set.of("ConfigMap")).toList();

    assertThat(rendered).isNotEmpty();
    assertThat(rendered)
        .allSatisfy(map -> assertThat(map.path("data")).isEqualTo(recorded.get(Rendered.key(map))));
  }

  private static SortedMap<String, String> unedited(
      Scenario scenario, String key, Map<String, JsonNode> resources) {
    var facts = Yaml.facts(resources.getOrDefault(key, MissingNode.getInstance()));
    facts.keySet().removeIf(path -> scenario.changed().stream().anyMatch((key + path)::startsWith));
    return facts;
  }
}
