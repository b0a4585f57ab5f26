package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.HOSTILE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// `kubectl gpu check` with the real kubectl, against a real API server.
@WithControlPlane
class CheckCommandTest {
  private final PluginCluster cluster;
  private final KubernetesClient client;
  private final String namespace;

  CheckCommandTest(ControlPlane plane, TestNamespace namespace) {
    this.cluster = new PluginCluster(plane);
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  /// The tests share the namespace.
  @AfterEach
  void clear() {
    client.apps().daemonSets().inNamespace(namespace).delete();
    label(Map.of());
  }

  @Test
  void nodeOnWhichPodsCannotStart_hasEachReason() {
    cluster.defineFleet();
    node("gpu-1", "taints: [{key: team, value: a, effect: NoSchedule}]", "nvidia.com/gpu: '4'");
    cluster.gpuNode("gpu-1", "False", "GpuUnhealthy", HOSTILE, "");
    node("gpu-2", "unschedulable: true", "");

    Run bad = cluster.run("check", "node", "gpu-1");

    bad.assertFits();
    assertThat(bad.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(bad.text())
        .contains(
            "✔ the Node is ready",
            "! taint team=a:NoSchedule",
            "containerd 2.1.4",
            "✘ no agent runs on the node",
            "! Healthy=False GpuUnhealthy",
            "✔ the Node offers 4 × nvidia.com/gpu, 4 free",
            "Blockers: 1, warnings: 2");
    assertThat(cluster.run("check", "node", "node/gpu-2").text())
        .contains("✘ the Node is cordoned", "kubectl uncordon gpu-2", "it has no GPUNode");
    assertThat(cluster.run("check", "node", "gpu-3"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.USAGE))
        .satisfies(it -> assertThat(it.text()).contains("Did you mean gpu-1 or gpu-2?"));
    assertThat(cluster.run("check", "node", "gpu-1", "--as", "eve"))
        .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.UNREACHABLE))
        .satisfies(it -> assertThat(it.text()).contains("eve may not get nodes"));
    assertThat(cluster.run("check", "node", "gpu-1", "-o", "json").out())
        .contains("\"mark\": \"BLOCKER\"");
  }

  @Test
  void clusterThatIsFit_hasNoBlocker() {
    node("gpu-1", "", "");

    Run install = cluster.run("check", "install", "-n", "gpus");

    install.assertFits();
    assertThat(install.code()).as(install.out()).isEqualTo(ExitCodes.OK);
    assertThat(install.text())
        .contains(
            "✔ Kubernetes v1.",
            "✔ ValidatingAdmissionPolicy (v1) is served",
            "✔ you may create what the chart has",
            "✔ namespace gpus is made by",
            "no other GPU operator, device plugin or DRA driver runs",
            "1 with GPUs (gpu-1): Ubuntu 24.04",
            "Blockers: 0");
  }

  @Test
  void whatStandsInTheWay_isNamedWithItsRemedy() {
    cluster.defineFleet();
    label(Map.of("pod-security.kubernetes.io/enforce", "baseline"));
    daemonSet("nvidia-device-plugin", "nvcr.io/nvidia/k8s-device-plugin:v0.17.0");
    daemonSet("mine", "example.com/mine:1");
    cluster.grant(
        "half",
        "{apiGroups: [''], resources: [namespaces, nodes], verbs: [get, list]}, {apiGroups: [apps], resources: [daemonsets, deployments], verbs: [list]}");

    Run install = cluster.run("check", "install", "-n", namespace);
    Run half = cluster.run("check", "install", "-n", namespace, "--as", "half");

    install.assertFits();
    assertThat(install.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(install.text())
        .contains(
            "enforces Pod Security baseline",
            "kubectl label namespace " + namespace,
            "✘ another device plugin for GPUs runs: DaemonSet "
                + namespace
                + "/nvidia-device-plugin",
            "✔ definition gpunodes.pitcrew.dev (v1alpha1) is there",
            "Blockers: 2");
    assertThat(install.out()).doesNotContain("mine");
    assertThat(half.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(half.text())
        .contains("✘ you may not create all that the chart has", "not allowed: create secrets");
  }

  @Test
  void groupWithoutACommand_namesItsCommands() {
    assertThat(cluster.run("check").text())
        .contains("kubectl gpu check needs one of: node, install");
    assertThat(cluster.run("health").text()).contains("needs one of: list, xid");
    assertThat(cluster.run("mig").code()).isEqualTo(ExitCodes.USAGE);
    assertThat(cluster.run("rollout", "staus").text()).contains("Did you mean status");
    assertThat(cluster.run("check", "node").text()).contains("Missing required parameter");
  }

  private void label(Map<String, String> labels) {
    client
        .namespaces()
        .withName(namespace)
        .edit(it -> {
          it.getMetadata().getLabels().remove("pod-security.kubernetes.io/enforce");
          it.getMetadata().getLabels().putAll(labels);
          return it;
        });
  }

  private void node(String name, String spec, String resources) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s, labels: {nvidia.com/gpu.present: 'true'}}
            spec: {%s}
            status:
              capacity: {cpu: '8', pods: '20', %s}
              allocatable: {cpu: '8', pods: '20', %s}
              conditions: [{type: Ready, status: 'True'}]
              nodeInfo:
                {architecture: amd64, bootID: b, containerRuntimeVersion: 'containerd://2.1.4', kernelVersion: 6.8.0, kubeProxyVersion: '',
                 kubeletVersion: v1.36.3, machineID: m, operatingSystem: linux, osImage: Ubuntu 24.04, systemUUID: s}
            """
                .formatted(name, spec, resources, resources),
            Node.class));
  }

  private void daemonSet(String name, String image) {
    client
        .resource(
            Serialization.unmarshal(
                """
                metadata: {name: %s, namespace: %s}
                spec:
                  selector: {matchLabels: {app: x}}
                  template:
                    metadata: {labels: {app: x}}
                    spec: {nodeSelector: {none: none}, containers: [{name: main, image: '%s'}]}
                """
                    .formatted(name, namespace, image),
                DaemonSet.class))
        .create();
  }
}
