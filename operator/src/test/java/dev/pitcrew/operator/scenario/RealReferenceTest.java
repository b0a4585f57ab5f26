package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.operator.scenario.RealReference.Running;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.image.BuiltImage;
import dev.pitcrew.testbed.operator.OperatorAddresses;
import dev.pitcrew.testbed.scenario.play.LiveStage;
import dev.pitcrew.testbed.scenario.play.OperatorProcess;
import dev.pitcrew.testbed.scenario.play.Scenario;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Test budget 900 s: each move is two upgrades by Helm, and starts three operators.
/// The move from NVIDIA's own operator to ours and back, as docs/migrate.md has it, without the
/// agent: the release of its chart, its program, and what it leaves. Pods are pretended. It is not
/// built here: CONTRIBUTING.md says how to make it.
@Tag("cluster")
class RealReferenceTest {
  private static final Chart OURS =
      new Chart(
          Path.of("..", "charts", "pitcrew"),
          Values.of(
              Map.of(
                  "pitcrew", Map.of("image", Map.of("repository", BuiltImage.REPOSITORY)),
                  "operator", Map.of("upgradeCRD", false),
                  "fleetPolicy", Map.of("agent", Map.of("enabled", false)))));
  private static final ReleaseName RELEASE = new ReleaseName(Scene.NAMESPACE, "gpu-operator");
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String OTHER = "gpu-operator-2";
  private static final String UPGRADE = "nvidia.com/gpu-driver-upgrade-state";
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration WHILE = Duration.ofSeconds(30);

  @TempDir Path scratch;
  private RealReference reference;
  private ControlPlane controlPlane;
  private KubernetesClient client;
  private LiveStage stage;

  @BeforeEach
  void enter() throws IOException, InterruptedException {
    assumeTrue(RealReference.isNamed(), RealReference.PROPERTY + " names no program");
    reference = RealReference.prepare(scratch);
    controlPlane = ControlPlane.start(ControlPlaneOptions.defaults());
    client = controlPlane.client();
    stage = LiveStage.empty(Scene.stageOf(controlPlane));
  }

  @AfterEach
  void leave() {
    if (controlPlane != null) {
      stage.close();
      controlPlane.close();
    }
  }

  /// @param values in place of those of the scenario
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "default-one-gpu-node |",
        "mixed-cpu-and-gpu |",
        "nvidiadriver-default |",
        "sandbox-three-workloads |",
        "mig-single |",
        "mig-single           | {mig: {strategy: mixed}}",
        "daemonsets-wide |",
        "operand-tuning |",
        "rdma-gds-gdrcopy |",
        "default-one-gpu-node | {driver: {enabled: false}, toolkit: {enabled: false}, dcgm: {enabled: true}, nodeStatusExporter: {enabled: true}}"
      })
  void neitherTheMoveNorTheWayBackRestartsAnything(String name, @Nullable String values)
      throws Exception {
    var scenario = Scene.scenario(name);
    neitherRestartsAnything(scenario, values == null ? valuesOf(scenario) : new Values(values));
  }

  private void neitherRestartsAnything(Scenario scenario, Values values) throws Exception {
    enter(scenario, values);
    Seen before;
    try (var theirs = startReference("first")) {
      theirs.awaitReconciled();
      stage.settle(Scene.QUIET);
      before = Seen.of(client);
      assertThat(before.pods()).isNotEmpty();
    }

    moveToOurs(values);
    try (var ours = startOurs()) {
      ours.awaitReconciled();
      stage.settle(Scene.QUIET);
      System.out.println("DaemonSets: " + before.daemonSets().keySet());
      assertThat(Seen.of(client)).isEqualTo(before);
      assertThat(policy().state()).isEqualTo("ready");
    }

    reference.chart().upgrade(controlPlane.kubeconfigFile(), RELEASE, values);
    try (var theirs = startReference("again")) {
      theirs.awaitReconciled();
      stage.settle(Scene.QUIET);
      assertThat(Seen.of(client)).isEqualTo(before);
      assertThat(theirs.errors()).isEmpty();
    }
  }

  @Test
  void anUpgradeThatTheReferenceBeganBeforeItWasKilledIsEnded() throws Exception {
    enter(Scene.scenario(SCENARIO), Values.DEFAULTS);
    var newer = new Values("driver: {version: 595.99.99}");
    var drivers = new DriverPods(client);
    Map<String, String> before;
    String state;
    try (var theirs = startReference("upgrading")) {
      theirs.awaitReconciled();
      stage.settle(Scene.QUIET);
      before = drivers.uids();
      reference.chart().upgrade(controlPlane.kubeconfigFile(), RELEASE, newer);
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(20))
          .until(() -> Boolean.TRUE.equals(node().getSpec().getUnschedulable()));
      theirs.process().kill();
      state = label(UPGRADE);
    }

    moveToOurs(newer);
    try (var ours = startOurs()) {
      await().atMost(LIMIT).until(() -> "upgrade-done".equals(label(UPGRADE)));
      ours.awaitReconciled();
      policy().awaitReady();
    }
    System.out.println("killed at " + state);
    assertThat(node().getSpec().getUnschedulable()).isNotEqualTo(true);
    assertThat(drivers.uids().values()).doesNotContainAnyElementsOf(before.values());
    assertThat(drivers.all())
        .allMatch(pod -> pod.getSpec().getContainers().getFirst().getImage().contains("595.99.99"));
  }

  /// The user has installed ours, and NVIDIA's runs in another namespace, too.
  @Test
  void aReferenceThatActsBesideOursIsReported_andNotFought() throws Exception {
    stage.enter(Scene.scenario(SCENARIO));
    Scene.installDefinitions(controlPlane);
    OURS.install(controlPlane.kubeconfigFile(), RELEASE, Values.DEFAULTS);
    try (var ours = startOurs()) {
      ours.awaitReconciled();
      stage.settle(Scene.QUIET);
      var before = Seen.of(client);
      allowAllIn(OTHER);
      try (var theirs = reference.start("beside", OTHER, controlPlane)) {
        policy()
            .awaitError("another GPU operator acts on this cluster, that in namespace " + OTHER);
        var begin = Instant.now();
        await()
            .atMost(LIMIT)
            .pollInterval(Duration.ofSeconds(1))
            .until(() -> Instant.now().isAfter(begin.plus(WHILE)));
        var writes = new OperatorWrites(controlPlane.auditLog()).since(begin);
        System.out.printf("in %d s beside it: %s%n", WHILE.toSeconds(), writes);
        assertThat(writes.getOrDefault("status:ClusterPolicy", 0)).isLessThan(10);
        assertThat(writes.getOrDefault("create:Event", 0)).isLessThan(3);
        assertThat(writes).doesNotContainKeys("apply:DaemonSet", "patch:Node");
        assertThat(Seen.of(client)).isEqualTo(before);
        assertThat(theirs.process().awaitEnd(Duration.ZERO)).as("still runs").isEmpty();
      }
      await().atMost(LIMIT).until(() -> policy().state().equals("ready"));
      assertThat(policy().messageOf("Error")).isEmpty();
    }
  }

  private static Values valuesOf(Scenario scenario) {
    return scenario.file("values.yaml").map(Values::read).orElse(Values.DEFAULTS);
  }

  /// With the release of NVIDIA's chart.
  private void enter(Scenario scenario, Values values) throws InterruptedException {
    stage.enter(scenario);
    reference.chart().install(controlPlane.kubeconfigFile(), RELEASE, values);
  }

  private Running startReference(String name) throws IOException, InterruptedException {
    return reference.start(name, Scene.NAMESPACE, controlPlane);
  }

  private void moveToOurs(Values values) {
    Scene.installDefinitions(controlPlane);
    OURS.upgrade(controlPlane.kubeconfigFile(), RELEASE, values);
  }

  /// With the rights of the release, when it leads.
  private Running startOurs() throws IOException, InterruptedException {
    var addresses = OperatorAddresses.free();
    var log = Path.of("target", "scenario-logs", "beside-reference.log");
    var account = controlPlane.kubeconfigFor(Scene.NAMESPACE, "gpu-operator");
    var launch = Launch.replica("ours").withArgument("--leader-elect-namespace=" + Scene.NAMESPACE);
    var process =
        OperatorProcess.start(
            launch.commandLine(Launch.PROGRAM, account, addresses), Map.of(), log);
    process.awaitReady(addresses.readiness());
    new Leadership(client).awaitHolder("ours", LIMIT);
    return new Running(process, addresses, log);
  }

  private void allowAllIn(String namespace) {
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("gpu-operator")
                .endMetadata()
                .build())
        .create();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", "gpu-operator", namespace)
                .build())
        .create();
  }

  private Policy policy() {
    return new Policy(client, "cluster-policy");
  }

  private Node node() {
    return client.nodes().withName("gpu-1").require();
  }

  private String label(String key) {
    return node().getMetadata().getLabels().getOrDefault(key, "");
  }

  /// What shows whether a pod, a template or a node has changed.
  private record Seen(
      Map<String, Workloads.Version> daemonSets,
      Map<String, String> pods,
      List<String> revisions,
      Map<String, String> nodes) {
    static Seen of(KubernetesClient client) {
      var workloads = new Workloads(client);
      var pods =
          client.pods().inNamespace(Scene.NAMESPACE).list().getItems().stream()
              .filter(pod ->
                  pod.getMetadata().getOwnerReferences().stream()
                      .anyMatch(owner -> owner.getKind().equals("DaemonSet")))
              .collect(
                  Collectors.toMap(
                      pod -> pod.getMetadata().getName(),
                      pod -> pod.getMetadata().getUid(),
                      (one, _) -> one,
                      TreeMap::new));
      var nodes =
          client.nodes().list().getItems().stream()
              .collect(
                  Collectors.toMap(
                      node -> node.getMetadata().getName(),
                      Seen::marks,
                      (one, _) -> one,
                      TreeMap::new));
      return new Seen(workloads.versions(), pods, workloads.revisions(), nodes);
    }

    /// Without the label that the reference writes at any time within two minutes.
    private static String marks(Node node) {
      var labels = new TreeMap<>(node.getMetadata().getLabels());
      labels.remove(UPGRADE, "upgrade-done");
      var annotations = new TreeMap<>(node.getMetadata().getAnnotations());
      return "%s %s cordoned: %s"
          .formatted(
              labels,
              annotations,
              Objects.requireNonNullElse(node.getSpec().getUnschedulable(), false));
    }
  }
}
