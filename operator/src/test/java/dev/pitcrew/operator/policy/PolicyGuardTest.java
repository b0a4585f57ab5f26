package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.testing.Policies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What makes a whole policy impossible.
class PolicyGuardTest {
  // defects 42 and 48: asked at every reconcile, as the schema has no such rule.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{cdi: {enabled: false, nriPluginEnabled: true}}                             | spec.cdi.enabled is \"false\"",
        "{cdi: {enabled: true, nriPluginEnabled: true}, toolkit: {enabled: false}}   | spec.toolkit.enabled is \"false\"",
      })
  void theNriPluginNeedsCdiAndTheToolkit(String policy, String cause) {
    assertThat(PolicyGuard.problem(Policies.from(policy)).map(Problem::message).orElse(""))
        .startsWith("spec.cdi.nriPluginEnabled is \"true\": " + cause)
        .endsWith("switch that on or the NRI plugin off");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{cdi: {enabled: false}}",
        "{toolkit: {enabled: false}}",
        "{cdi: {enabled: true, nriPluginEnabled: true}}",
      })
  void everythingElseIsPossible(String policy) {
    assertThat(PolicyGuard.problem(Policies.from(policy))).isEmpty();
  }

  // defect 43: no answer depends on an earlier policy.
  @Test
  void theDefaultWorkloadIsTheOneOfThePolicyAtHand() {
    NodePolicies.of(Policies.from("sandboxWorkloads: {enabled: true, defaultWorkload: vm-vgpu}"));

    assertThat(NodePolicies.of(Policies.from("sandboxWorkloads: {enabled: true}")))
        .extracting(policy -> policy.defaultWorkload().toString())
        .isEqualTo("CONTAINER");
  }
}
