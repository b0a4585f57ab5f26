package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.node.DriverDemand;
import dev.pitcrew.operator.node.NodePolicy;
import dev.pitcrew.operator.node.SandboxMode;
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // policy, mode, whether drivers are upgraded automatically, default MIG layout, demand
        "{} | KUBEVIRT | false | '' | ClusterPolicy '' false",
        "sandboxWorkloads: {enabled: true, mode: kata} | KATA | false | '' | ClusterPolicy '' false",
        "sandboxWorkloads: {enabled: true, mode: kubevirt} | KUBEVIRT | false | '' | ClusterPolicy '' false",
        "driver: {version: 580.65.06, kernelModuleType: open, upgradePolicy: {autoUpgrade: true}} | KUBEVIRT | true | '' | ClusterPolicy '580.65.06' true",
        "driver: {kernelModuleType: proprietary, upgradePolicy: {autoUpgrade: false}} | KUBEVIRT | false | '' | ClusterPolicy '' false",
        "{driver: {upgradePolicy: {autoUpgrade: true}}, sandboxWorkloads: {enabled: true}} | KUBEVIRT | false | '' | ClusterPolicy '' false",
        "driver: {enabled: false, version: 580.65.06, upgradePolicy: {autoUpgrade: true}} | KUBEVIRT | false | '' | none",
        "driver: {useNvidiaDriverCRD: true, version: 580.65.06} | KUBEVIRT | false | '' | none",
        "migManager: {config: {default: all-balanced}} | KUBEVIRT | false | all-balanced | ClusterPolicy '' false",
        "migManager: {config: {name: layouts}} | KUBEVIRT | false | all-disabled | ClusterPolicy '' false",
      })
  void aPolicyDecidesTheLabelsOfNodes(
      String policy, SandboxMode mode, boolean autoUpgrade, String layout, String demand) {
    NodePolicy read = NodePolicies.of(Policies.from(policy));

    assertThat(read.sandboxMode()).isEqualTo(mode);
    assertThat(read.autoUpgradeWanted()).isEqualTo(autoUpgrade);
    assertThat(read.defaultMigConfig()).isEqualTo(layout);
    assertThat(read.demand()).isEqualTo(demand(demand));
  }

  private static DriverDemand demand(String text) {
    String[] parts = text.split(" ", -1);
    return text.equals("none")
        ? DriverDemand.NONE
        : new DriverDemand(parts[0], parts[1].replace("'", ""), Boolean.parseBoolean(parts[2]));
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
