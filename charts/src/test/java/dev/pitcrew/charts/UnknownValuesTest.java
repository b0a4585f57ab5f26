package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.helm.Values;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Unknown values are named after an install, and no others are.
class UnknownValuesTest {
  private static final PitcrewChart CHART = PitcrewChart.shared();
  private static final String NAMED = "known neither to this chart nor to NVIDIA's";
  private static final Path CONTRACT = Path.of("src/test/resources/contract");
  private static final JsonNode KNOWN = Yaml.document(Path.of("pitcrew/files/known-values.yaml"));

  @Test
  void eachIsNamedWithItsWholePath() {
    var notes =
        CHART.notes(
            """
            drivers: {version: "580"}
            driver: {enbaled: false, upgradePolicy: {drain: {enabled: true}, podDeletion: {force: true}}}
            cdi: {default: true}
            cert-manager: {enabled: false}
            fleetPolicy: {agent: {image: {tag: v1}}}
            removed: null
            """);

    assertThat(notes.substring(notes.indexOf(NAMED)))
        .startsWith(
            NAMED
                + """
                , and do nothing. Look for a typing error:
                  cdi.default
                  cert-manager
                  driver.enbaled
                  driver.upgradePolicy.drain.enabled
                  driver.upgradePolicy.podDeletion
                  drivers
                  fleetPolicy.agent.image.tag

                """);
  }

  @Test
  void noValueOfTheReferencesFileIs() {
    assertThat(CHART.notes("{}")).doesNotContain(NAMED);
    assertThat(CHART.notes(Values.read(CONTRACT.resolve("chart-values.json")).yaml()))
        .doesNotContain(NAMED);
    assertThat(unknown(Yaml.document(CONTRACT.resolve("chart-values.json")))).isEmpty();
    assertThat(unknown(Yaml.document(Path.of("pitcrew/values.yaml")))).isEmpty();
    assertThat(Scenario.all())
        .allSatisfy(scenario -> assertThat(unknown(Yaml.document(scenario.values()))).isEmpty());
  }

  /// Its templates read more than its values file has.
  @Test
  void noValueThatTheReferencesTemplatesReadIs() throws IOException {
    assertThat(Files.readAllLines(CONTRACT.resolve("chart-template-values.txt")))
        .isNotEmpty()
        .allMatch(path -> isKnown(KNOWN, List.of(path.split("\\.", -1))));
  }

  /// A FleetPolicy is passed on as it is.
  @Test
  void noFieldOfTheFleetPolicyIs() throws IOException {
    try (var files = Files.list(Path.of("pitcrew/crds"))) {
      var definition =
          files
              .filter(file -> file.toString().contains("fleetpolicies"))
              .map(Yaml::document)
              .findFirst()
              .orElseThrow();
      var spec = definition.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");

      assertThat(fields(spec, List.of("fleetPolicy")))
          .hasSizeGreaterThan(20)
          .allMatch(path -> isKnown(KNOWN, path));
    }
  }

  @Test
  void mapsWithKeysOfUsersHoldAnything() {
    var notes =
        CHART.notes(
            """
            global: {registry: r.io}
            operator: {nodeSelector: {a: b}, labels: {a: b}, annotations: {a: b}, resources: {limits: {a: 1}}, affinity: {podAffinity: {}}, env: [{name: A, value: b}]}
            daemonsets: {labels: {a: b}, annotations: {a: b}, tolerations: [{key: a}], podSecurityContext: {fsGroup: 1}}
            driver: {nvidiaDriverCRD: {nodeSelector: {a: b}}, resources: {claims: []}, readinessProbe: {periodSeconds: 1}, env: [{name: A, value: b}]}
            devicePlugin: {config: {data: {any: thing}}}
            migManager: {config: {data: {any: thing}}}
            dcgmExporter: {annotations: {a: b}, serviceMonitor: {additionalLabels: {a: b}, relabelings: [{a: b}]}, config: {name: m, data: a}}
            kataManager: {config: {artifactsDir: /a}}
            draDriver: {featureGates: {A: true}, gpus: {kubeletPlugin: {a: b}}, computeDomains: {controller: {a: b}, kubeletPlugin: {a: b}}}
            monitoring: {alerts: {labels: {a: b}}, dashboards: {labels: {a: b}, annotations: {a: b}}}
            fleetPolicy: {agent: {resources: {limits: {cpu: 1}}, tolerations: [{key: a}], env: [{name: A}]}}
            node-feature-discovery: {worker: {anything: 1}}
            extraObjects: [{kind: A, metadata: {name: a}}]
            """);

    assertThat(notes).doesNotContain(NAMED);
  }

  private static List<String> unknown(JsonNode values) {
    return leaves(values, List.of()).stream()
        .filter(path -> !isKnown(KNOWN, path))
        .map(path -> String.join(".", path))
        .toList();
  }

  private static boolean isKnown(JsonNode known, List<String> path) {
    if (path.isEmpty() || !known.isObject()) {
      return true;
    }
    return known.has(path.getFirst())
        && isKnown(known.path(path.getFirst()), path.subList(1, path.size()));
  }

  private static List<List<String>> leaves(JsonNode values, List<String> path) {
    return values.isObject() && !values.isEmpty()
        ? values.properties().stream()
            .flatMap(it -> leaves(it.getValue(), joined(path, it.getKey())).stream())
            .toList()
        : List.of(path);
  }

  private static List<List<String>> fields(JsonNode schema, List<String> path) {
    return schema.has("properties")
        ? schema.path("properties").properties().stream()
            .flatMap(it -> fields(it.getValue(), joined(path, it.getKey())).stream())
            .toList()
        : List.of(path);
  }

  private static List<String> joined(List<String> path, String key) {
    var longer = new ArrayList<>(path);
    longer.add(key);
    return longer;
  }
}
