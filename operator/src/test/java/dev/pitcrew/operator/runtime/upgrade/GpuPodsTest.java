package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which pods a disruption budget is about.
class GpuPodsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{} | false", // selects nothing
        "{selector: {}} | true",
        "{selector: {matchLabels: {app: train}}} | true",
        "{selector: {matchLabels: {app: serve}}} | false",
        "{selector: {matchExpressions: [{key: app, operator: In, values: [train, x]}]}} | true",
        "{selector: {matchExpressions: [{key: app, operator: NotIn, values: [train]}]}} | false",
        "{selector: {matchExpressions: [{key: tier, operator: NotIn, values: [a]}]}} | true",
        "{selector: {matchExpressions: [{key: app, operator: Exists}]}} | true",
        "{selector: {matchExpressions: [{key: app, operator: DoesNotExist}]}} | false",
        "{selector: {matchLabels: {app: train}, matchExpressions: [{key: tier, operator: Exists}]}} | false"
      })
  void aBudgetSelectsAsTheApiServerDoes(String spec, boolean selected) {
    var budget = Serialization.unmarshal("spec: " + spec, PodDisruptionBudget.class);
    var pod =
        new PodBuilder().withNewMetadata().withLabels(Map.of("app", "train")).endMetadata().build();

    assertThat(GpuPods.selects(budget, pod)).isEqualTo(selected);
  }
}
