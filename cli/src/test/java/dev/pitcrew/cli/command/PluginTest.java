package dev.pitcrew.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The plugin as users start it, with the real kubectl, against a real API server.
@WithControlPlane
class PluginTest {
  private static final Path LAUNCHER = Path.of("kubectl-gpu").toAbsolutePath();
  private static final Path DEFINITIONS =
      Path.of("../api/src/main/resources/crds").toAbsolutePath();
  private static final List<String> KINDS =
      List.of("pitcrew.dev_gpunodes.yaml", "nvidia.com_clusterpolicies.yaml");
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int NARROW = 60;

  /// What a terminal would obey: red, a title, and text from right to left.
  private static final String HOSTILE = "\\u001b[31mred\\u001b]0;title\\u0007 \\u202eb\\u009b1m";

  private final Path kubectl = Binaries.standard(Progress.standardError()).resolve(Binary.KUBECTL);
  private final ControlPlane plane;
  private final KubernetesClient client;
  private final String namespace;

  @TempDir Path folder;

  private record Run(int code, String out, String err) {}

  PluginTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  @BeforeEach
  void define() {
    KINDS.forEach(it -> define(DEFINITIONS.resolve(it)));
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() ->
            client.raw("/apis/pitcrew.dev/v1alpha1/gpunodes") != null
                && client.raw("/apis/nvidia.com/v1/clusterpolicies") != null);
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
      assertThat(run.out().lines()).allMatch(line -> line.length() <= NARROW);
      assertThat(run.out()).doesNotContain("\u001b", "\u0007", "\u202e", "\u009b");
      assertThat(run.err()).isEmpty();
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
  }

  @Test
  void clusterWithNothing_saysSo() {
    Run status = run("status");

    assertThat(status.out()).contains("none: there is no ClusterPolicy", "none has a GPU yet");
    assertThat(run("nodes").err()).contains("No node has a GPU yet.");
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
    return run.out().replaceAll("│? +", " ").replaceAll("\\s+", " ");
  }

  private Run run(String... arguments) {
    var line = new ArrayList<>(List.of(LAUNCHER.toString()));
    line.addAll(List.of(arguments));
    try {
      Path out = Files.createTempFile(folder, "out", "");
      Path err = Files.createTempFile(folder, "err", "");
      var builder =
          new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(err.toFile());
      builder.environment().put("KUBECTL", kubectl.toString());
      builder.environment().put("KUBECONFIG", plane.kubeconfigFile().toString());
      builder.environment().put("COLUMNS", String.valueOf(NARROW));
      builder.environment().put("LC_ALL", "C.UTF-8");
      Process process = builder.start();
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return new Run(
          process.exitValue(), Files.readString(out, UTF_8), Files.readString(err, UTF_8));
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  private void gpuNode(String name, String ready, String reason, String message) {
    String level = ready.equals("True") ? "Healthy" : "NeedsReboot";
    var gpus = new ArrayList<String>();
    for (int index = 0; index < 4; index++) {
      gpus.add(
          "{pciAddress: '0000:0%d:00.0', index: %d, uuid: GPU-%s-%d, product: NVIDIA H100, health: {level: %s, evidence: [Xid 79]}}"
              .formatted(index, index, name, index, index == 0 ? level : "Healthy"));
    }
    GenericKubernetesResource resource =
        Serialization.unmarshal(
            """
            apiVersion: pitcrew.dev/v1alpha1
            kind: GPUNode
            metadata: {name: %s}
            status:
              gpuCount: 4
              driver: {version: 580.159.04}
              gpus: [%s]
              conditions:
              - {type: Healthy, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
              - {type: Ready, status: '%s', reason: %s, message: "%s", lastTransitionTime: '2026-11-29T10:00:00Z'}
            """
                .formatted(
                    name, String.join(", ", gpus), ready, reason, message, ready, reason, message),
            GenericKubernetesResource.class);
    createWithStatus(resource);
  }

  private void node(String name, String taints) {
    createWithStatus(
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

  private <T extends HasMetadata> void createWithStatus(T resource) {
    client.resource(resource).create();
    client.resource(resource).patchStatus();
  }

  private void define(Path definition) {
    try (InputStream yaml = Files.newInputStream(definition)) {
      client.load(yaml).serverSideApply();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
