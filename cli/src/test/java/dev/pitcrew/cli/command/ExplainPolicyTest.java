package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.HOSTILE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `kubectl gpu explain policy` with the real kubectl, against a real API server.
@WithControlPlane
class ExplainPolicyTest {
  private final PluginCluster cluster;

  ExplainPolicyTest(ControlPlane plane) {
    this.cluster = new PluginCluster(plane);
  }

  @BeforeEach
  void define() {
    cluster.define(
        List.of(
            "pitcrew.dev_gpunodes.yaml",
            "pitcrew.dev_fleetpolicies.yaml",
            "nvidia.com_clusterpolicies.yaml",
            "nvidia.com_gpuclusters.yaml"),
        List.of(
            "/apis/pitcrew.dev/v1alpha1/gpunodes",
            "/apis/pitcrew.dev/v1alpha1/fleetpolicies",
            "/apis/nvidia.com/v1/clusterpolicies",
            "/apis/nvidia.com/v1alpha1/gpuclusters"));
  }

  @Test
  void policyThatIsNotReady_hasOneCause_andTheNodesThatAreBehind() {
    policy("ClusterPolicy", "v1", "cluster-policy", "notReady", "OperandNotReady", HOSTILE);
    fleetPolicy();
    cluster.gpuNode("gpu-1", "True", "Ready", "", "");
    cluster.gpuNode("gpu-2", "False", "DriverNotReady", HOSTILE, "");
    cluster.gpuNode("gpu-3", "True", "Ready", "", "rollout: {phase: Drain, blocker: pod ml/x}");

    var run = cluster.run("explain", "policy");

    assertThat(run.code()).isEqualTo(ExitCodes.PROBLEM);
    run.assertFits();
    assertThat(run.text())
        .contains(
            "ClusterPolicy cluster-policy: not ready for",
            "operand state-driver: ready on 1 of 3 nodes",
            "nodes with GPUs: 3, 2 ready",
            "1 not ready: DriverNotReady gpu-2",
            "driver roll-out: 1 under way, 0 wait, 0 failed gpu-3 (Drain: pod ml/x)",
            "operand state-driver is not ready",
            "kubectl gpu explain node gpu-2");
    assertThat(cluster.run("explain", "policy", "-o", "name").out())
        .isEqualTo("clusterpolicy/cluster-policy\n");
    assertThat(Objects.json(cluster.run("explain", "policy", "-o", "json").out()).at("ok").value())
        .isEqualTo(false);
  }

  @Test
  void policies_areFoundByNameAndKind() {
    policy("ClusterPolicy", "v1", "cluster-policy", "ready", "Reconciled", "m");
    policy("GPUCluster", "v1alpha1", "gpu-cluster", "notReady", "PrerequisiteNotMet", "m");

    assertThat(cluster.run("explain", "policy").text()).contains("GPUCluster gpu-cluster");
    assertThat(cluster.run("explain", "policy", "cluster-policy"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.OK))
        .satisfies(it -> assertThat(it.out()).contains("✔ Reconciled"));
    assertThat(cluster.run("explain", "gpucluster/gpu-cluster").text())
        .contains("kubectl delete gpucluster gpu-cluster");
    assertThat(cluster.run("explain", "policy", "cluster-polcy"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("Did you mean cluster-policy?"));
    assertThat(cluster.run("explain", "fleetpolicies"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("there is no FleetPolicy"));
  }

  @Test
  void clusterWithoutAPolicy_isAProblem_andOneWithoutRightsHasTheRemedy() {
    assertThat(cluster.run("explain", "policy"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.PROBLEM))
        .satisfies(it -> assertThat(it.text()).contains("there is no ClusterPolicy"));
    assertThat(cluster.run("explain", "policy", "--as", "eve"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.text()).contains("eve may not list gpunodes.pitcrew.dev"));
  }

  /// Without the rights to list FleetPolicies and GPUClusters the rest is shown.
  @Test
  void halfTheRights_showHalf() {
    policy("ClusterPolicy", "v1", "cluster-policy", "notReady", "OperandNotReady", "DaemonSet d");
    fleetPolicy();
    cluster.grant(
        "half",
        "{apiGroups: [pitcrew.dev], resources: [gpunodes], verbs: [list]}, {apiGroups: [nvidia.com], resources: [clusterpolicies], verbs: [list]}");

    var run = cluster.run("explain", "policy", "--as", "half");

    assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(run.text()).contains("DaemonSet d", "not everything that it asks for runs yet");
  }

  private void policy(
      String kind, String version, String name, String state, String reason, String message) {
    boolean ready = state.equals("ready");
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: nvidia.com/%s
            kind: %s
            metadata: {name: %s}
            spec: %s
            status:
              state: %s
              conditions:
              - {type: Ready, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
              - {type: Error, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
            """
                .formatted(
                    version,
                    kind,
                    name,
                    kind.equals("ClusterPolicy")
                        ? "{operator: {}, driver: {}, toolkit: {}, devicePlugin: {}, dcgm: {}, dcgmExporter: {}, nodeStatusExporter: {}, daemonsets: {}, gfd: {}}"
                        : "{draDriver: {}}",
                    state,
                    ready ? "True" : "False",
                    ready ? reason : "Error",
                    message,
                    ready ? "False" : "True",
                    ready ? "Ready" : reason,
                    ready ? "" : message),
            GenericKubernetesResource.class));
  }

  private void fleetPolicy() {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: pitcrew.dev/v1alpha1
            kind: FleetPolicy
            metadata: {name: fleet}
            spec: {}
            status:
              operands:
              - {name: state-driver, state: notReady, desired: 3, ready: 1, message: DaemonSet d waits}
            """,
            GenericKubernetesResource.class));
  }
}
