package dev.pitcrew.charts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NotesTest {
  private static final PitcrewChart CHART = PitcrewChart.shared();

  @Test
  void theUserLearnsWhatRunsAndWhatIsMissing() {
    assertThat(CHART.notes("{}"))
        .contains("localhost/pitcrew:0.1.0", "kubectl -n gpu-operator logs deploy/gpu-operator")
        .contains("The GPU detector finds the nodes with GPUs, and the node agent labels them")
        .doesNotContain("WARNING", "gpucluster");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{fleetPolicy: {agent: {enabled: false}}}",
        "{fleetPolicy: {deploy: false}}",
        "{fleetPolicy: {agent: {functions: [devicePlugin]}}}",
      })
  void whereTheAgentDoesNotLabelNodesFeatureDiscoveryIsMissed(String values) {
    assertThat(CHART.notes(values))
        .contains("WARNING: node-feature-discovery is not installed")
        .doesNotContain("The GPU detector finds");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{operator: {repository: mirror.example}} | set pitcrew.image.*",
        "{operator: {version: v26.7.0}}           | set pitcrew.image.*",
      })
  void valuesThatHaveNoEffectHereAreNamed(String values, String note) {
    assertThat(CHART.notes(values)).contains(note);
    assertThat(CHART.notes("{}")).doesNotContain(note);
  }

  @Test
  void portsOfTheApiServerAreNamed() {
    var port = "may reach the API server on ports 443, 6443, 8443, 16443 only";
    assertThat(CHART.notes("{}")).contains(port);
    assertThat(CHART.notes("{networkPolicy: {apiServerPorts: [7443]}}"))
        .contains("on ports 7443 only");
    assertThat(CHART.notes("{networkPolicy: {enabled: false}}")).doesNotContain("on ports");
  }

  @Test
  void podSecurityIsMentionedWhereTheOperatorDoesNotSetIt() {
    assertThat(CHART.notes("{}")).contains("pod-security.kubernetes.io/enforce=privileged");
    assertThat(CHART.notes("{psa: {enabled: true}}")).doesNotContain("pod-security.kubernetes.io");
  }
}
