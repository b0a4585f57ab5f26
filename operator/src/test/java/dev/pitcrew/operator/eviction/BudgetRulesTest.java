package dev.pitcrew.operator.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which pods a disruption budget is about, and which of those it keeps.
class BudgetRulesTest {
  private static final String READY =
      "{phase: Running, conditions: [{type: Ready, status: \"True\"}]}";
  private static final String USED_UP =
      "{observedGeneration: 2, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1}";
  private static final String REFUSED = "pod team/trainer: PDB web allows 0 disruptions";

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

    assertThat(BudgetRules.selects(budget, pod)).isEqualTo(selected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{phase: Running, conditions: [{type: Ready, status: \"True\"}]} | true",
        "{phase: Running, conditions: [{type: Ready, status: \"False\"}]} | false", // enough others
        "{phase: Pending} | false",
        "{phase: Succeeded} | false",
        "{phase: Failed} | false"
      })
  void aBudgetThatIsUsedUpKeepsWhatItCounts(String status, boolean isKept) {
    assertThat(BudgetRules.refusal(pod(status), List.of(budget("web", "", USED_UP))).isPresent())
        .isEqualTo(isKept);
  }

  @ParameterizedTest
  @CsvSource({"Pending, false", "Succeeded, false", "Failed, false", "Running, true"})
  void aPodThatDoesNotServeIsKeptByNoBudget(String phase, boolean isKept) {
    String tooFew = "{observedGeneration: 2, currentHealthy: 0, desiredHealthy: 1}";

    assertThat(
            BudgetRules.refusal(pod("{phase: " + phase + "}"), List.of(budget("web", "", tooFew)))
                .isPresent())
        .isEqualTo(isKept);
  }

  @Test
  void terminatingPod_isHeldByNoBudget() {
    Pod ending =
        new PodBuilder(pod(READY))
            .editMetadata()
            .withDeletionTimestamp("2026-11-22T08:00:00Z")
            .endMetadata()
            .build();

    assertThat(BudgetRules.refusal(ending, List.of(budget("web", "", USED_UP)))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | {observedGeneration: 2, currentHealthy: 0, desiredHealthy: 1} | true",
        "'' | {observedGeneration: 2, currentHealthy: 0, desiredHealthy: 0} | true",
        "IfHealthyBudget | {observedGeneration: 2, currentHealthy: 0, desiredHealthy: 1} | true",
        "AlwaysAllow | {observedGeneration: 2, currentHealthy: 0, desiredHealthy: 1} | false",
        "'' | {observedGeneration: 2, disruptionsAllowed: 1} | false",
        "'' | {observedGeneration: 1, disruptionsAllowed: 1} | true",
        "'' | {} | true"
      })
  void aPodThatIsNotReadyIsKeptAsItsBudgetSays(String policy, String status, boolean isKept) {
    assertThat(
            BudgetRules.refusal(pod("{phase: Running}"), List.of(budget("web", policy, status)))
                .isPresent())
        .isEqualTo(isKept);
  }

  @Test
  void budgetThatProtectsAPod_isNamed() {
    var elsewhere = budget("other", "", USED_UP);
    elsewhere.getMetadata().setNamespace("other");
    var ofOthers = budget("serve", "", USED_UP);
    ofOthers.getSpec().getSelector().setMatchLabels(Map.of("app", "serve"));

    assertThat(
            BudgetRules.refusal(
                pod(READY), List.of(ofOthers, budget("web", "", USED_UP), elsewhere)))
        .contains(REFUSED);
    assertThat(BudgetRules.refusal(pod(READY), List.of(ofOthers, elsewhere))).isEmpty();
  }

  /// However many disruptions they allow.
  @Test
  void aPodWithTwoBudgetsIsNeverEvicted() {
    String open = "{observedGeneration: 2, disruptionsAllowed: 1}";

    assertThat(
            BudgetRules.refusal(
                pod(READY), List.of(budget("web", "", open), budget("all", "", open))))
        .contains(
            "pod team/trainer: PDBs all and web select it, and the API server evicts no pod that has more than one: keep one of them");
  }

  private static Pod pod(String status) {
    return Serialization.unmarshal(
        """
        metadata: {namespace: team, name: trainer, labels: {app: train}}
        status: %s
        """
            .formatted(status),
        Pod.class);
  }

  private static PodDisruptionBudget budget(String name, String unready, String status) {
    var budget =
        Serialization.unmarshal(
            """
            metadata: {namespace: team, name: %s, generation: 2}
            spec: {selector: {matchLabels: {app: train}}}
            status: %s
            """
                .formatted(name, status),
            PodDisruptionBudget.class);
    if (!unready.isEmpty()) {
      budget.getSpec().setUnhealthyPodEvictionPolicy(unready);
    }
    return budget;
  }
}
