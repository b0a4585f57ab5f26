package dev.pitcrew.operator.scenario;

import static dev.pitcrew.operator.scenario.OperandAccounts.OTHER;
import static dev.pitcrew.operator.scenario.OperandAccounts.OWN;
import static dev.pitcrew.operator.scenario.OperandAccounts.POOL_DRIVER;
import static dev.pitcrew.operator.scenario.OperandAccounts.TENANT;
import static dev.pitcrew.operator.scenario.OperandAttempts.configMap;
import static dev.pitcrew.operator.scenario.OperandAttempts.cordon;
import static dev.pitcrew.operator.scenario.OperandAttempts.deletion;
import static dev.pitcrew.operator.scenario.OperandAttempts.eviction;
import static dev.pitcrew.operator.scenario.OperandAttempts.feature;
import static dev.pitcrew.operator.scenario.OperandAttempts.pod;
import static dev.pitcrew.operator.scenario.OperandAttempts.replacement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What an attacker who has taken over a GPU node can do with the tokens of the reference's
/// operands there: the reference's roles under the admission policies of the chart.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class OperandRightsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String TAINT = "[{\"key\": \"x\", \"effect\": \"%s\"}]";
  private static final String PAUSED =
      "{\"nvidia.com/gpu.deploy.device-plugin\": \"paused\", \"nvidia.com/gpu.deploy.dcgm\": \"\"}";
  private static final List<String> POLICIES =
      List.of("nodes", "evictions", "pods", "configmaps", "nodefeatures");

  private final ControlPlane controlPlane;
  private OperandAccounts accounts;

  OperandRightsTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeAll
  void enter() throws IOException, InterruptedException {
    accounts = OperandAccounts.on(controlPlane, Values.DEFAULTS);
    awaitPolicies();
  }

  /// The API server takes a moment to know a new policy.
  private void awaitPolicies() {
    await()
        .pollInterval(Duration.ofMillis(300))
        .atMost(LIMIT)
        .untilAsserted(() -> {
          refusedBy(
              "nodes",
              "nvidia-driver",
              Attempt.labels("", OWN, "{\"team\": \"" + System.nanoTime() + "\"}"));
          refusedBy("evictions", "nvidia-driver", eviction(TENANT, "missing"));
          refusedBy("pods", "nvidia-operator-validator", pod("nvidia-operator-validator", OTHER));
          refusedBy("configmaps", "nvidia-mig-manager", configMap("probe"));
          refusedBy("nodefeatures", "nvidia-gpu-feature-discovery", feature("probe", OTHER));
        });
  }

  private void refusedBy(String policy, String account, Attempt attempt) {
    assertThat(attempt.answerTo(accounts.as(account))).contains("pitcrew-operand-" + policy);
  }

  @AfterAll
  void leave() {
    accounts.close();
  }

  @Test
  void noAccountReachesBeyondItsNode() {
    var answers = new LinkedHashMap<String, String>();
    for (var account : accounts.ofNodes()) {
      for (var attempt : attacks(account)) {
        answers.put(account + ": " + attempt.what(), attempt.answerTo(accounts.as(account)));
      }
    }

    answers.values().removeIf(answer -> answer.contains(" is forbidden: "));
    assertThat(answers).as("what is not refused").isEmpty();
  }

  private static List<Attempt> attacks(String account) {
    return List.of(
        cordon(OTHER, true),
        Attempt.taints("another node emptied", OTHER, TAINT.formatted("NoExecute")),
        Attempt.labels("another node labelled", OTHER, PAUSED),
        Attempt.taints("its node tainted", OWN, TAINT.formatted("NoSchedule")),
        Attempt.labels("a label of others on its node", OWN, "{\"team\": \"b\"}"),
        Attempt.labels("the operator's label", OWN, "{\"nvidia.com/gpu.present\": \"true\"}"),
        Attempt.node(
            "a finalizer on its node", OWN, "{\"metadata\": {\"finalizers\": [\"a.b/c\"]}}"),
        Attempt.node(
            "an annotation on its node", OWN, "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}"),
        eviction(TENANT, "there"),
        eviction("kube-system", "there"),
        eviction("kube-system", "here"),
        eviction(Scene.NAMESPACE, "there"),
        deletion(TENANT, "there"),
        deletion(Scene.NAMESPACE, "there"),
        OperandAttempts.relabelling(Scene.NAMESPACE, "there"),
        pod(account, OTHER),
        pod(account, ""),
        pod("gpu-operator", OWN),
        OperandAttempts.podWithSecret(account, OWN),
        configMap("scripts"),
        configMap(OTHER + "-mig-config"),
        feature("of-another", OTHER));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nvidia-driver", "nvidia-vgpu-manager", "nvidia-vfio-manager", POOL_DRIVER})
  void driverManagersPrepareTheirNode(String account) {
    carriedOut(
        account,
        cordon(OWN, true),
        Attempt.labels("operands paused", OWN, PAUSED),
        Attempt.labels(
            "a host's driver found", OWN, "{\"nvidia.com/gpu.deploy.driver\": \"pre-installed\"}"),
        Attempt.node(
            "what ours waits for",
            OWN,
            "{\"metadata\": {\"annotations\": {\"pitcrew.dev/driver-manager-waits-for\": \"a\"}}}"),
        cordon(OWN, false));
  }

  @Test
  void theOthersDoTheirWorkOnTheirNode() {
    carriedOut(
        "compute-domain-daemon-service-account",
        OperandAttempts.relabelling(Scene.NAMESPACE, "here"));
    carriedOut(
        "nvidia-mig-manager",
        Attempt.labels("its state", OWN, "{\"nvidia.com/mig.config.state\": \"pending\"}"),
        Attempt.labels("operands paused", OWN, PAUSED),
        configMap(OWN + "-mig-config"),
        configMap(OWN + "-mig-config"),
        deletion(Scene.NAMESPACE, "here"));
    carriedOut(
        "nvidia-vgpu-device-manager",
        replacement(OWN, "nvidia.com/vgpu.config.state", "success"),
        replacement(OWN, "nvidia.com/gpu.deploy.sandbox-validator", "paused"));
    carriedOut(
        "nvidia-cc-manager",
        Attempt.labels(
            "its state",
            OWN,
            "{\"nvidia.com/cc.mode.state\": \"on\", \"nvidia.com/cc.ready.state\": \"true\"}"),
        Attempt.labels("operands paused", OWN, PAUSED));
    carriedOut(
        "nvidia-gpu-feature-discovery", feature("mine", OWN), OperandAttempts.features("mine"));
    carriedOut(
        "nvidia-dra-driver-kubeletplugin",
        Attempt.labels("its clique", OWN, "{\"nvidia.com/gpu.clique\": \"a.0\"}"),
        Attempt.labels("a domain", OWN, "{\"resource.nvidia.com/computeDomain\": \"a\"}"));
    carriedOut("nvidia-operator-validator", pod("nvidia-operator-validator", OWN));
    carriedOut("nvidia-sandbox-device-plugin", pod("nvidia-sandbox-device-plugin", OWN));
  }

  @Test
  void eachWritesOnlyOfItsOwnWork() {
    refused(
        "nvidia-driver",
        Attempt.labels("MIG's state", OWN, "{\"nvidia.com/mig.config.state\": \"success\"}"),
        "nvidia-driver on mine may not write the labels nvidia.com/mig.config.state");
    refused(
        "nvidia-mig-manager", cordon(OWN, true), "may not change spec.unschedulable of its Node");
    refused(
        "nvidia-driver",
        eviction(TENANT, "here"),
        "nvidia-driver on mine may not evict pods: the operator does");
    refused(
        "nvidia-driver",
        cordon(OTHER, true),
        "nvidia-driver on mine may write the Node mine only, and not other");
  }

  @Test
  void aTokenThatNamesNoNodeWritesNothing() {
    var nowhere = accounts.withoutPod("nvidia-driver");

    assertThat(Attempt.labels("", OWN, PAUSED).answerTo(nowhere))
        .contains("the token of nvidia-driver names no node, so it may write nothing");
  }

  @Test
  void theApiServerFindsNoFaultInThePolicies() {
    var policies = accounts.admin().admissionRegistration().v1().validatingAdmissionPolicies();
    for (var name : POLICIES) {
      var status =
          await()
              .atMost(LIMIT)
              .until(
                  () -> policies.withName("pitcrew-operand-" + name).require().getStatus(),
                  found -> found != null && found.getObservedGeneration() != null);
      var checking = status.getTypeChecking();
      assertThat(checking == null ? List.of() : checking.getExpressionWarnings()).isEmpty();
    }
  }

  private void refused(String account, Attempt attempt, String refusal) {
    assertThat(attempt.answerTo(accounts.as(account))).contains(refusal);
  }

  private void carriedOut(String account, Attempt... attempts) {
    Map<String, String> answers = new LinkedHashMap<>();
    for (var attempt : attempts) {
      answers.put(attempt.what(), attempt.answerTo(accounts.as(account)));
    }
    assertThat(answers.values()).as(account + " " + answers).containsOnly("");
  }
}
