package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.HOSTILE;
import static dev.pitcrew.cli.command.PluginCluster.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.command.PluginCluster.Run;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The plugin as users start it, with the real kubectl, against a real API server.
@WithControlPlane
class PluginTest {
  private static final List<String> KINDS =
      List.of("pitcrew.dev_gpunodes.yaml", "nvidia.com_clusterpolicies.yaml");
  private final ControlPlane plane;
  private final KubernetesClient client;
  private final PluginCluster cluster;
  private final String namespace;

  PluginTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.client = plane.client();
    this.cluster = new PluginCluster(plane);
    this.namespace = namespace.name();
  }

  @BeforeEach
  void define() {
    cluster.define(
        KINDS,
        List.of("/apis/pitcrew.dev/v1alpha1/gpunodes", "/apis/nvidia.com/v1/clusterpolicies"));
  }

  /// The tests share the namespace, and the next one has other nodes of these names.
  @AfterEach
  void deletePods() {
    var pods = client.pods().inNamespace(namespace);
    pods.withGracePeriod(0).delete();
    await().atMost(LIMIT).until(() -> pods.list().getItems().isEmpty());
  }

  @Test
  void statusAndNodes_showHowTheFleetIs() {
    gpuNode("gpu-1", "True", "Ready", "");
    gpuNode("gpu-2", "False", "GpuUnhealthy", HOSTILE);
    node("gpu-1", "");
    node("gpu-2", "");
    pod("holder", "2", "gpu-1", "");

    Run status = run("status");

    assertThat(status.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(status.out())
        .contains(
            "none: there is no ClusterPolicy",
            "2 with GPUs: 1 ready, 1 not ready",
            "8: 2 in use, 5 free, 1 unhealthy",
            "kubectl gpu explain node gpu-2");
    Run nodes = run("nodes");
    assertThat(nodes.code()).isEqualTo(ExitCodes.PROBLEM);
    assertThat(nodes.out())
        .containsPattern("gpu-1 +H100 +4 +2 +Healthy +True +Ready")
        .containsPattern("gpu-2 +H100 +4 +4 +NeedsReboot +False +GpuUnhealthy");
    for (Run run :
        List.of(status, nodes, run("nodes", "-o", "wide"), run("explain", "node/gpu-2"))) {
      run.assertFits();
    }
    for (String output : List.of("json", "yaml")) {
      assertThat(Objects.json(run("status", "-o", output).out()).at("ok").value()).isEqualTo(false);
    }
    assertThat(run("who").out()).containsPattern("gpu-1 +2 × nvidia.com/gpu +" + namespace);
  }

  @Test
  void podsThatWait_haveOneCauseEach() {
    gpuNode("gpu-1", "True", "Ready", "");
    node("gpu-1", "{key: team, value: a, effect: NoSchedule}");
    String tolerates = "tolerations: [{key: team, operator: Exists}]";
    pod("holder", "3", "gpu-1", tolerates);
    pod("many", "9", "", tolerates);
    pod("tainted", "1", "", "");
    pod("queued", "2", "", tolerates);

    assertThat(explain("many")).contains("it asks for more GPUs than any node has");
    assertThat(explain("tainted"))
        .contains("it does not tolerate the taint", "{key: team, operator: Equal, value: a,");
    assertThat(explain("queued"))
        .contains("the GPUs that it could have are in use", "held by " + namespace + "/holder");
    assertThat(run("explain", "pod", "queud", "-n", namespace))
        .satisfies(it -> {
          assertThat(it.code()).isEqualTo(ExitCodes.USAGE);
          assertThat(it.err().replaceAll("\\s+", " ")).contains("Did you mean queued?");
        });
    assertThat(run("explain", "pod", namespace + "/queued").text())
        .contains("the GPUs that it could have are in use");
  }

  @Test
  void clusterWithNothing_saysSo() {
    Run status = run("status");

    assertThat(status.out()).contains("none: there is no ClusterPolicy", "none has a GPU yet");
    assertThat(run("nodes").err()).contains("No node has a GPU yet.");
    cluster.define(List.of("pitcrew.dev_fleetpolicies.yaml"), List.of()); // left of an uninstall
    client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName("gpunodes.pitcrew.dev")
        .delete();
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          Run without = run("status");
          assertThat(without.code()).isEqualTo(ExitCodes.USAGE);
          assertThat(without.err()).contains("there is no Pitcrew in this cluster");
        });
  }

  @Test
  void accountWithoutRights_isNamedWithTheRemedy() {
    Path kubeconfig = plane.kubeconfigFor(namespace, "default");

    Run run = run("status", "--kubeconfig", kubeconfig.toString());

    assertThat(run.code()).isEqualTo(ExitCodes.UNREACHABLE);
    assertThat(run.err().replaceAll("\\s+", " "))
        .contains(
            "system:serviceaccount:%s:default may not list gpunodes.pitcrew.dev"
                .formatted(namespace),
            "kubectl create clusterrolebinding");
  }

  @Test
  void accountOfOneNamespace_seesWhatItsPodSays() {
    pod("queued", "1", "", "");
    client
        .resource(
            Serialization.unmarshal(
                """
                metadata: {name: pods, namespace: %s}
                rules: [{apiGroups: [''], resources: [pods], verbs: [get, list]}]
                """
                    .formatted(namespace),
                Role.class))
        .create();
    client
        .resource(
            Serialization.unmarshal(
                """
                metadata: {name: pods, namespace: %s}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: pods}
                subjects: [{kind: ServiceAccount, name: default, namespace: %s}]
                """
                    .formatted(namespace, namespace),
                RoleBinding.class))
        .create();
    String kubeconfig = plane.kubeconfigFor(namespace, "default").toString();

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(run("explain", "pod/queued", "-n", namespace, "--kubeconfig", kubeconfig))
                .satisfies(it -> assertThat(it.code()).isEqualTo(ExitCodes.PROBLEM))
                .satisfies(it -> assertThat(it.out()).contains("do not allow to list nodes")));
  }

  @Test
  void apiServerThatIsGone_isNamedWithinSeconds() {
    plane.stopApiServer();
    try {
      long begin = System.nanoTime();
      Run run = run("status");

      assertThat(run.code()).isEqualTo(ExitCodes.UNREACHABLE);
      assertThat(run.err()).contains(plane.apiServerAddress()).doesNotContain("Exception");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
    } finally {
      plane.startApiServer();
    }
  }

  @Test
  void wrongInput_neverExitsZero() {
    for (List<String> line :
        List.of(
            List.of("stauts"),
            List.of("status", "-o", "xml"),
            List.of("status", "--context", "nope"),
            List.of("explain", "pod", "../nodes"),
            List.of("explain", "pud", "x"),
            List.of("explain", "node", "gpu-9"),
            List.of("who", "gpu-9"),
            List.of("completion", "tcsh"))) {
      Run run = run(line.toArray(String[]::new));

      assertThat(run.code()).as(line.toString()).isEqualTo(ExitCodes.USAGE);
      assertThat(run.err()).startsWith("error: ").doesNotContain("Exception", "\tat ");
    }
    assertThat(run("version", "--client").code()).isZero();
    assertThat(run("completion", "--words", "--", "no").out()).isEqualTo("nodes\n:4\n");
  }

  private String explain(String pod) {
    Run run = run("explain", "pod", pod, "-n", namespace);
    assertThat(run.code()).as(run.err()).isEqualTo(ExitCodes.PROBLEM);
    return run.text();
  }

  private Run run(String... arguments) {
    return cluster.run(arguments);
  }

  private void gpuNode(String name, String ready, String reason, String message) {
    cluster.gpuNode(name, ready, reason, message, "");
  }

  private void node(String name, String taints) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s, labels: {nvidia.com/gpu.present: 'true'}}
            spec: {taints: [%s]}
            status:
              capacity: {cpu: '8', nvidia.com/gpu: '4', pods: '20'}
              allocatable: {cpu: '8', nvidia.com/gpu: '4', pods: '20'}
              conditions: [{type: Ready, status: 'True'}]
            """
                .formatted(name, taints),
            Node.class));
  }

  private void pod(String name, String gpus, String node, String spec) {
    client
        .resource(
            Serialization.unmarshal(
                """
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: %s}
                spec:
                  %s
                  schedulerName: none
                  containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: '%s'}}}]
                %s
                """
                    .formatted(
                        name,
                        namespace,
                        node.isEmpty() ? "" : "nodeName: " + node,
                        gpus,
                        spec.isEmpty() ? "" : "  " + spec),
                Pod.class))
        .create();
  }
}
