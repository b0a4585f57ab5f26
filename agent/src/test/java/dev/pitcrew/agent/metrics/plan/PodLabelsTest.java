package dev.pitcrew.agent.metrics.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PodLabelsTest {
  private static final Map<String, String> LABELS =
      Map.of("app.kubernetes.io/name", "a", "team", "b", "2nd", "c", "app_kubernetes_io/name", "d");

  @Test
  void namesBecomeThoseThatPrometheusTakes() {
    assertThat(labels("").of(LABELS))
        .isEqualTo(Map.of("app_kubernetes_io_name", "a", "team", "b", "_2nd", "c"));
  }

  @Test
  void onlyKeysThatMatchAnExpression_areExported() {
    assertThat(labels("^te,2").of(LABELS)).isEqualTo(Map.of("team", "b", "_2nd", "c"));
  }

  @Test
  void aWrongExpressionAllowsNothingMore() {
    assertThat(labels("(,^team$").of(LABELS)).isEqualTo(Map.of("team", "b"));
    assertThat(labels("(").of(LABELS)).isEmpty();
    assertThat(MetricsEnvironment.read(variables("("), "").invalid())
        .extracting(MetricsEnvironment.Wrong::variable)
        .containsExactly("DCGM_EXPORTER_KUBERNETES_POD_LABEL_ALLOWLIST_REGEX");
  }

  @Test
  void labelsAreOff_byDefault() {
    assertThat(PodLabels.NONE.of(LABELS)).isEmpty();
  }

  private static PodLabels labels(String allowed) {
    return MetricsEnvironment.read(variables(allowed), "").settings().pods().labels();
  }

  private static Map<String, String> variables(String allowed) {
    return Map.of(
        "DCGM_EXPORTER_KUBERNETES_ENABLE_POD_LABELS",
        "true",
        "DCGM_EXPORTER_KUBERNETES_POD_LABEL_ALLOWLIST_REGEX",
        allowed);
  }
}
