package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.HOSTILE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `kubectl gpu check migrate` with the real kubectl, against a real API server.
@WithControlPlane
class CheckMigrateTest {
  // Test budget 90 s: each command is a JVM of its own with several kubectl.
  private final PluginCluster cluster;
  private final KubernetesClient client;
  private final String namespace;

  @TempDir Path folder;

  CheckMigrateTest(ControlPlane plane, TestNamespace namespace) {
    this.cluster = new PluginCluster(plane);
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  /// The tests share the namespace.
  @AfterEach
  void clear() {
    client.apps().daemonSets().inNamespace(namespace).delete();
    client.apps().deployments().inNamespace(namespace).delete();
    client.configMaps().inNamespace(namespace).withName("dashboard").delete();
  }

  @Test
  void clusterOfTheReference_showsWhatChanges_andTheCommands() throws IOException {
    reference();
    node("gpu-1", "{nvidia.com/gpu.present: 'true', nvidia.com/cuda.driver-version.full: '570.1'}");
    String values =
        file("{driver: {enbaled: true}, pitcrew: {image: {repository: registry.example.com/gpu}}}");

    Run run = cluster.run("check", "migrate", "--from", "gpu-operator", "--values", values);

    run.assertFits();
    assertThat(run.code()).as(run.out()).isEqualTo(ExitCodes.OK);
    assertThat(run.text())
        .contains(
            "✔ Kubernetes v1.",
            "✔ the NVIDIA GPU Operator runs: Deployment %s/gpu-operator, of Helm release gpus"
                .formatted(namespace),
            "! its chart is gpu-operator-v25.3.0",
            "✔ ClusterPolicy cluster-policy is ready",
            "has fields that were set by hand (kubectl-edit) spec.driver.version",
            "driver.enbaled: did you mean driver.enabled?",
            "nvidia-driver-daemonset: 0 pods, kept",
            "r/dcgm-exporter:4.2.3-4.1.3-u has the label Hostname in its metrics",
            "ConfigMap %s/dashboard".formatted(namespace),
            "Deployment %s/chooser: feature.node.kubernetes.io/cpu-cpuid.AVX512F"
                .formatted(namespace),
            "1 nodes run driver 570.1, and the policy asks for 595.91.07: gpu-1",
            "✔ no pod holds a GPU",
            "Blockers: 0",
            "Nothing was changed.",
            "--set fleetPolicy.agent.enabled=false",
            "kubectl wait --for=condition=Ready clusterpolicy/cluster-policy --timeout=60m");
    assertThat(cluster.run("check", "migrate", "-o", "json").out())
        .contains(
            "\"next\": [",
            "\"helm upgrade gpus charts/pitcrew --namespace %s --values your-values.yaml\""
                .formatted(namespace));
  }

  @Test
  void whatStandsInTheWay_isABlocker() {
    reference();
    node(
        "gpu-1",
        "{nvidia.com/gpu.present: 'true', nvidia.com/gpu-driver-upgrade-state: drain-required}");
    cluster.grant(
        "half",
        "{apiGroups: [''], resources: [namespaces, nodes, pods], verbs: [get, list]}, {apiGroups: [apps], resources: [daemonsets, deployments], verbs: [list]}");

    Run run = cluster.run("check", "migrate", "-n", namespace);
    Run half = cluster.run("check", "migrate", "--as", "half");

    assertThat(run.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(run.text())
        .contains("✘ driver roll-out: 1 nodes are at drain-required: gpu-1", "Blockers: 1");
    assertThat(half.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(half.text())
        .contains(
            "✘ you may not create all that the chart has",
            "! the ClusterPolicy could not be read",
            "! some workloads could not be read");
  }

  @Test
  void withoutTheReference_thereIsNothingToTakeOver() {
    Run none = cluster.run("check", "migrate");

    none.assertFits();
    assertThat(none.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(none.text())
        .contains("✘ no NVIDIA GPU Operator runs", "kubectl gpu check install")
        .doesNotContain("helm upgrade");
  }

  @Test
  void wrongInput_isNamed() throws IOException {
    for (List<String> wrong :
        List.of(
            List.of("--values", folder.resolve("none.yaml").toString(), "there is no file"),
            List.of("--values", folder.toString(), "is no file of values"),
            List.of("--values", file("[a]"), "but no map of keys"),
            List.of("--values", file("a: [\n" + HOSTILE), "is no YAML"),
            List.of("--from", "nvidia", "nothing that Pitcrew takes over"),
            List.of("-n", "../x", "is no name of a namespace"))) {
      Run run = cluster.run("check", "migrate", wrong.get(0), wrong.get(1));

      assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.text()).contains(wrong.get(2));
    }
  }

  private String file(String values) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "values", ".yaml"), values).toString();
  }

  /// As NVIDIA's chart and operator leave a cluster.
  private void reference() {
    cluster.define(
        List.of("nvidia.com_clusterpolicies.yaml"), List.of("/apis/nvidia.com/v1/clusterpolicies"));
    GenericKubernetesResource policy =
        Serialization.unmarshal(
            """
            apiVersion: nvidia.com/v1
            kind: ClusterPolicy
            metadata: {name: cluster-policy}
            spec:
              driver: {repository: nvcr.io/nvidia, image: driver, version: '580.1'}
              operator: {}
              toolkit: {}
              devicePlugin: {}
              dcgm: {}
              dcgmExporter: {}
              nodeStatusExporter: {}
              daemonsets: {}
              gfd: {}
            status: {state: ready, namespace: gpu-operator}
            """,
            GenericKubernetesResource.class);
    cluster.createWithStatus(policy);
    cluster.administer(
        "patch",
        "clusterpolicy/cluster-policy",
        "--type=merge",
        "--field-manager=kubectl-edit",
        "--patch={\"spec\":{\"driver\":{\"version\":\"595.91.07\"}}}");
    String owner =
        "ownerReferences: [{apiVersion: nvidia.com/v1, kind: ClusterPolicy, name: cluster-policy, uid: %s}]"
            .formatted(
                client
                    .genericKubernetesResources("nvidia.com/v1", "ClusterPolicy")
                    .withName("cluster-policy")
                    .get()
                    .getMetadata()
                    .getUid());
    apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: dashboard, namespace: %s, labels: {grafana_dashboard: '1'}}
        data: {a: 'avg by (Hostname) (DCGM_FI_DEV_GPU_UTIL)'}
        """
            .formatted(namespace));
    apply(workload("Deployment", "gpu-operator", "helm.sh/chart: gpu-operator-v25.3.0", "", ""));
    apply(workload("Deployment", "nfd-master", "", "", "image: r/node-feature-discovery:v0.17"));
    apply(
        workload(
            "Deployment",
            "chooser",
            "",
            "",
            "nodeSelector: {feature.node.kubernetes.io/cpu-cpuid.AVX512F: 'true'}"));
    apply(
        workload("DaemonSet", "nvidia-driver-daemonset", "", owner, "nodeSelector: {none: none}"));
    apply(
        workload(
            "DaemonSet",
            "nvidia-dcgm-exporter",
            "",
            owner,
            "image: r/dcgm-exporter:4.2.3-4.1.3-u"));
  }

  /// Of Helm release `gpus`.
  ///
  /// @param more of the pod: a selector of nodes or an image
  private String workload(String kind, String name, String label, String metadata, String more) {
    String image = more.startsWith("image: ") ? more.substring(7) : "r/" + name + ":v25.3.0";
    return """
    apiVersion: apps/v1
    kind: %s
    metadata:
      name: %s
      namespace: %s
      labels: {%s}
      annotations: {meta.helm.sh/release-name: gpus, meta.helm.sh/release-namespace: %s}
      %s
    spec:
      selector: {matchLabels: {app: %s}}
      template:
        metadata: {labels: {app: %s}}
        spec:
          containers: [{name: main, image: '%s'}]
          %s
    """
        .formatted(
            kind,
            name,
            namespace,
            label,
            namespace,
            metadata,
            name,
            name,
            image,
            more.startsWith("image: ") ? "nodeSelector: {none: none}" : more);
  }

  private void apply(String yaml) {
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).serverSideApply();
  }

  private void node(String name, String labels) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s, labels: %s}
            status:
              conditions: [{type: Ready, status: 'True'}]
              nodeInfo:
                {architecture: amd64, bootID: b, containerRuntimeVersion: 'containerd://2.1.4', kernelVersion: 6.8.0, kubeProxyVersion: '',
                 kubeletVersion: v1.36.3, machineID: m, operatingSystem: linux, osImage: Ubuntu 24.04, systemUUID: s}
            """
                .formatted(name, labels),
            Node.class));
  }
}
