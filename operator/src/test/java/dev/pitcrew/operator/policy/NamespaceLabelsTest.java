package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NamespaceLabelsTest {
  private static final String PSA = "pod-security.kubernetes.io/";
  private static final String MONITORING = "openshift.io/cluster-monitoring";
  private static final Map<String, String> PRIVILEGED =
      Map.of(
          PSA + "enforce", "privileged", PSA + "audit", "privileged", PSA + "warn", "privileged");

  @Test
  void podSecurityIsLoosenedOnlyWhereThePolicySaysSo() {
    assertThat(missing("psa: {enabled: true}", Facts.cluster(), Map.of())).isEqualTo(PRIVILEGED);
    assertThat(missing("", Facts.cluster(), Map.of())).isEmpty();
  }

  @Test
  void labelsThatAreThereAreNotWrittenAgain() {
    assertThat(missing("psa: {enabled: true}", Facts.cluster(), PRIVILEGED)).isEmpty();
    assertThat(
            missing("psa: {enabled: true}", Facts.cluster(), Map.of(PSA + "enforce", "baseline")))
        .isEqualTo(PRIVILEGED);
  }

  @Test
  void onOpenShiftOnlyTheSuggestedNamespaceIsLabelled() {
    var elsewhere = Facts.openShift();
    var suggested = Facts.openShift().namespace("nvidia-gpu-operator");

    assertThat(missing("psa: {enabled: true}", elsewhere, Map.of())).isEmpty();
    assertThat(missing("psa: {enabled: true}", suggested, Map.of()))
        .containsAllEntriesOf(PRIVILEGED)
        .containsEntry(MONITORING, "true");
  }

  @Test
  void monitoringLabelOfAUser_stays() {
    var suggested = Facts.openShift().namespace("nvidia-gpu-operator");

    assertThat(missing("", suggested, Map.of(MONITORING, "false"))).isEmpty();
  }

  private static Map<String, String> missing(
      String policy, Facts facts, Map<String, String> present) {
    return NamespaceLabels.missing(Rendered.context(policy, facts), present);
  }
}
