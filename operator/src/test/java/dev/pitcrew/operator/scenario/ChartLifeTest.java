// Long because it is the life of one release, from its first step to its last.
// Test budget 180 s: three releases, each with its hooks and its operator, and a rollback.
package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.kubelet.ProcessKubelet;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/// The chart from its first install to its last uninstall, each test a step. Helm runs the hooks,
/// and what the chart deploys runs with the rights that the chart gives it.
///
/// Has a control plane of its own, because it starts from a cluster without definitions.
@Tag("cluster")
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChartLifeTest {
  private static final Chart CHART = Chart.withBuiltImage(Path.of("..", "charts", "pitcrew"));
  private static final ReleaseName RELEASE = new ReleaseName(Scene.NAMESPACE, "gpu-operator");
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String MACHINE = "machine";

  /// Keeps agents off the node whose pods are processes of the operator.
  private static final Taint OPERATOR_ONLY =
      new TaintBuilder().withKey("machine").withEffect("NoSchedule").build();

  private static final Values STANDARD = values("/run/nvidia/driver", false);

  /// Has no owner, as the reference's, whose name it has.
  private static final String LEASE = "leases.coordination.k8s.io gpu-operator/53822513.nvidia.com";

  private static final String GPU = "feature.node.kubernetes.io/pci-10de.present";

  private static final String CORDONED = "spec.unschedulable";

  /// A fact that stays true.
  private static final Map<String, String> PRESENT = Map.of("nvidia.com/gpu.present", "true");

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private SimulatedNodes nodes;
  private ProcessKubelet kubelet;
  private ApiServer api;
  private Inventory inventory;
  private Set<String> before;

  @BeforeAll
  void start() {
    controlPlane = ControlPlane.start(ControlPlaneOptions.defaults());
    client = controlPlane.client();
    nodes = SimulatedNodes.start(controlPlane, PodsOnNodes.START);
    nodes.create(NodeTemplate.gpu("gpu"), 2);
    kubelet =
        new ProcessKubelet(
            controlPlane,
            MACHINE,
            List.of(OPERATOR_ONLY),
            Launch.PROGRAM,
            Path.of("target", "chart-life-logs"));
    createNamespace();
    api = ApiServer.of(controlPlane.kubeconfigFile());
    inventory = new Inventory(api);
    before = inventory.take();
  }

  /// With what Kubernetes itself puts into it.
  private void createNamespace() {
    var namespace =
        new NamespaceBuilder().withNewMetadata().withName(Scene.NAMESPACE).endMetadata().build();
    client.resource(namespace).create();
    Stream.of(
            client.serviceAccounts().inNamespace(Scene.NAMESPACE).withName("default"),
            client.configMaps().inNamespace(Scene.NAMESPACE).withName("kube-root-ca.crt"))
        .forEach(given -> given.waitUntilCondition(Objects::nonNull, 30, TimeUnit.SECONDS));
  }

  @AfterAll
  void stop() {
    api.close();
    kubelet.close();
    nodes.close();
    controlPlane.close();
  }

  @Test
  @Order(1)
  void anInstallMakesTheNodesReady() {
    install(STANDARD);

    assertThat(marks())
        .hasSize(2)
        .allSatisfy(
            (_, marks) -> assertThat(marks).containsEntry("nvidia.com/gpu.deploy.driver", "true"));
  }

  @Test
  @Order(2)
  void theAgentStandsInForTheOperandsWhoseFunctionsItHas() {
    awaitAgentWithAllFunctions();
  }

  private void awaitAgentWithAllFunctions() {
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(new Workloads(client).versions())
                .containsKeys("pitcrew-agent", "nvidia-driver-daemonset")
                .doesNotContainKeys(
                    "nvidia-mig-manager",
                    "nvidia-dcgm-exporter",
                    "nvidia-device-plugin-daemonset",
                    "gpu-feature-discovery",
                    "nvidia-container-toolkit-daemonset",
                    "nvidia-operator-validator",
                    "nvidia-node-status-exporter"));
  }

  @Test
  @Order(3)
  void anUpgradeWhoseHookFailsChangesNothingAndLeavesItsLog(@TempDir Path folder)
      throws IOException {
    var definition = new PolicyDefinition(client);
    definition.drop("hostPaths");
    policy().awaitError(PolicyDefinition.NAME, "spec.hostPaths");
    var generation = deploymentGeneration();

    assertThatThrownBy(() -> upgrade(withoutRights(folder), STANDARD))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("pre-upgrade")
        .hasMessageContaining("gpu-operator-upgrade-crd");

    var pod = hookPods().getFirst();
    assertThat(pod.getStatus().getPhase()).isEqualTo("Failed");
    assertThat(kubelet.log(pod)).contains("customresourcedefinitions", "forbidden");
    assertThat(definition.has("hostPaths")).isFalse();
    assertThat(deploymentGeneration()).isEqualTo(generation);
  }

  /// Its hook may not write definitions, and tries once.
  private static Chart withoutRights(Path folder) {
    return CHART
        .copy(
            folder.resolve("powerless"), "verbs: [get, list, watch, create, patch]", "verbs: [get]")
        .copy(folder.resolve("impatient"), "backoffLimit: 3", "backoffLimit: 0");
  }

  @Test
  @Order(4)
  void anUpgradeBringsAnOldDefinitionUpToDateBeforeAllElse() {
    upgrade(CHART, values("/opt/driver", false));

    policy().awaitState("ready", LIMIT);
    assertThat(policy().spec().at("/hostPaths/driverInstallDir").asText()).isEqualTo("/opt/driver");
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(inventory.take()).noneMatch(name -> name.contains("upgrade-crd")));
  }

  /// By Helm, whose hooks do not run then.
  @Test
  @Order(5)
  void aRollbackBringsBackWhatAnUpgradeHasChanged() {
    var policySpec = policy().spec();
    var fleetSpec = fleet().spec().orElseThrow();
    var deployment = deployment();
    var generation = policyGeneration();

    assertThatThrownBy(
            () -> CHART.upgradeOrRollBack(controlPlane.kubeconfigFile(), RELEASE, notComingUp()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has been rolled back due to atomic being set");

    assertThat(policyGeneration()).as("changed, and changed back").isEqualTo(generation + 2);
    assertThat(deploymentGeneration())
        .as("changed, and changed back")
        .isEqualTo(deployment.getMetadata().getGeneration() + 2);
    assertThat(policy().spec()).isEqualTo(policySpec);
    assertThat(fleet().spec()).contains(fleetSpec);
    assertThat(deployment().getSpec()).isEqualTo(deployment.getSpec());
    policy().awaitState("ready", LIMIT);
    assertThat(new Workloads(client).versions()).containsKey("pitcrew-agent");
  }

  /// The pod of its operator is refused; that of its hook is not.
  private static Values notComingUp() {
    return values(
        "/mnt/driver", "cleanupCRD: false, priorityClassName: nowhere", "mig: {busy: Evict}");
  }

  /// Its hook writes the FleetPolicy, too.
  @Test
  @Order(6)
  void anUpgradeAfterARollbackChangesAllPolicies() {
    upgrade(CHART, values("/srv/driver", "cleanupCRD: false", "mig: {busy: Evict}"));

    policy().awaitState("ready", LIMIT);
    assertThat(policy().spec().at("/hostPaths/driverInstallDir").asText()).isEqualTo("/srv/driver");
    assertThat(fleet().spec().orElseThrow().at("/mig/busy").asText()).isEqualTo("Evict");
    assertThat(hookPods()).as("a hook that succeeds is deleted").isEmpty();

    upgrade(CHART, STANDARD);
    awaitAgentWithAllFunctions();
  }

  @Test
  @Order(7)
  void theOperatorHasAllTheRightsThatItUses() {
    assertThat(controlPlane.auditLog().requestsOf(OperatorWrites.USER))
        .isNotEmpty()
        .noneMatch(request -> request.status() == HttpURLConnection.HTTP_FORBIDDEN);
  }

  /// With a node that an upgrade has taken out of service, and an operator that does not run any
  /// more to end that.
  @Test
  @Order(8)
  void anUninstallLeavesTheDefinitionsAndNothingElse() {
    policy().edit("{\"driver\": {\"version\": \"590.48.01\"}}");
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(marks().values()).anyMatch(ChartLifeTest::isMidUpgrade));
    client.apps().deployments().inNamespace(Scene.NAMESPACE).withName("gpu-operator").scale(0);
    await().atMost(LIMIT).until(() -> operatorPods().isEmpty());
    beginHandOver();
    assertThat(marks().values()).anyMatch(ChartLifeTest::isMidUpgrade);

    uninstall();

    awaitLeft(Stream.concat(definitions(), Stream.of(LEASE)));
  }

  private static Stream<String> definitions() {
    return Crds.files().stream()
        .map(ChartLifeTest::definitionOf)
        .map("customresourcedefinitions.apiextensions.k8s.io /"::concat);
  }

  /// As an operator that is killed leaves it: a DaemonSet of drivers that waits to go without its
  /// pods, and a pod of one that has gone.
  private void beginHandOver() {
    var driver = client.apps().daemonSets().inNamespace(Scene.NAMESPACE);
    driver
        .withName("nvidia-driver-daemonset")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"finalizers\": [\"pitcrew.dev/pods-stay\"]}}");
    driver.withName("nvidia-driver-daemonset").delete();
    var orphan =
        new PodBuilder(driverPods().getFirst())
            .withNewMetadata()
            .withName("orphan")
            .withNamespace(Scene.NAMESPACE)
            .addToLabels("app.kubernetes.io/component", "nvidia-driver")
            .endMetadata()
            .build();
    client.resource(orphan).create();
  }

  private List<Pod> driverPods() {
    return client
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "nvidia-driver")
        .list()
        .getItems();
  }

  /// No agent says that its new driver works.
  private static boolean isMidUpgrade(Map<String, String> marks) {
    return "validation-required".equals(marks.get("nvidia.com/gpu-driver-upgrade-state"))
        && marks.containsKey(CORDONED);
  }

  private List<Pod> operatorPods() {
    return client
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "gpu-operator")
        .list()
        .getItems();
  }

  private static String definitionOf(String file) {
    var words = file.replace(".yaml", "").split("_", -1);
    return words[1] + "." + words[0];
  }

  @Test
  @Order(9)
  void anUninstallThatDeletesTheDefinitionsLeavesNothing() {
    install(values("/run/nvidia/driver", true));

    uninstall();

    awaitLeft(Stream.of(LEASE));
  }

  /// The definition of the FleetPolicy is not there before the upgrade, and Helm knows the values
  /// of the release before only.
  @Test
  @Order(10)
  void singleUpgradeOfAReleaseOfTheReferencesChart_turnsTheAgentOn(@TempDir Path folder)
      throws IOException {
    reference(folder).install(controlPlane.kubeconfigFile(), RELEASE, STANDARD);
    assertThat(policy().isThere()).isTrue();

    CHART.upgradeReusingValues(controlPlane.kubeconfigFile(), RELEASE, Values.DEFAULTS);

    policy().awaitState("ready", LIMIT);
    assertThat(new Workloads(client).versions()).containsKey("pitcrew-agent");
    CHART.upgradeReusingValues(
        controlPlane.kubeconfigFile(),
        RELEASE,
        new Values("{fleetPolicy: {agent: {functions: [labels]}}}"));
    assertThat(fleet().spec().orElseThrow().at("/agent/functions"))
        .as("Helm compares nothing when it makes an object its own")
        .hasToString("[\"labels\"]");
    uninstall();
    awaitLeft(Stream.concat(definitions(), Stream.of(LEASE)));
  }

  /// A chart with the reference's values, of which it makes a ClusterPolicy.
  private static Chart reference(Path folder) throws IOException {
    var chart =
        CHART.copy(folder.resolve("reference"), "{{- include \"pitcrew.complete\" . -}}\n", "");
    try (var files = Files.walk(chart.folder())) {
      for (var file : files.filter(Files::isRegularFile).toList()) {
        var name = chart.folder().relativize(file).toString();
        var isTemplate = name.startsWith("templates/") && !name.startsWith("templates/_");
        if (name.startsWith("crds/pitcrew.dev_")
            || name.startsWith("files/")
            || (isTemplate && !name.equals("templates/clusterpolicy.yaml"))) {
          Files.delete(file);
        }
      }
    }
    var values = chart.folder().resolve("values.yaml");
    var all = Files.readString(values);
    Files.writeString(values, all.substring(all.indexOf("platform:")));
    return new Chart(chart.folder());
  }

  /// With the operator and the hooks where pods really run.
  private static Values values(String driverInstallDir, boolean cleanupCrd) {
    return values(driverInstallDir, "cleanupCRD: " + cleanupCrd, "");
  }

  /// @param operator more settings of the operator, and `fleetPolicy` those of the FleetPolicy
  private static Values values(String driverInstallDir, String operator, String fleetPolicy) {
    return new Values(
        """
        operator: {nodeSelector: {kubernetes.io/hostname: %s-1}, tolerations: [{operator: Exists}], %s}
        hostPaths: {driverInstallDir: %s}
        fleetPolicy: {%s}
        """
            .formatted(MACHINE, operator, driverInstallDir, fleetPolicy));
  }

  private void install(Values values) {
    CHART.install(controlPlane.kubeconfigFile(), RELEASE, values);
    policy().awaitState("ready", LIMIT);
  }

  private void upgrade(Chart chart, Values values) {
    chart.upgrade(controlPlane.kubeconfigFile(), RELEASE, values);
  }

  private void uninstall() {
    Chart.uninstall(controlPlane.kubeconfigFile(), RELEASE);
  }

  /// Waits until nothing else is there that was not before the first install.
  private void awaitLeft(Stream<String> expected) {
    var names = expected.toList();
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() ->
            assertThat(inventory.takeWithout(before)).containsExactlyInAnyOrderElementsOf(names));
    assertThat(marks()).hasSize(2).allSatisfy((_, left) -> assertThat(left).isEqualTo(PRESENT));
  }

  /// The labels and annotations of ours on the nodes with GPUs, and whether they are cordoned.
  private Map<String, Map<String, String>> marks() {
    var marks = new TreeMap<String, Map<String, String>>();
    for (var node : client.nodes().withLabel(GPU).list().getItems()) {
      var ours = new TreeMap<>(node.getMetadata().getLabels());
      ours.putAll(node.getMetadata().getAnnotations());
      ours.keySet()
          .removeIf(key -> !key.startsWith("nvidia.com/") && !key.startsWith("pitcrew.dev/driver"));
      if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
        ours.put(CORDONED, "true");
      }
      marks.put(node.getMetadata().getName(), ours);
    }
    return marks;
  }

  private List<Pod> hookPods() {
    return client
        .pods()
        .inNamespace(Scene.NAMESPACE)
        .withLabel("app.kubernetes.io/component", "gpu-operator-hook")
        .list()
        .getItems();
  }

  private long deploymentGeneration() {
    return deployment().getMetadata().getGeneration();
  }

  private Deployment deployment() {
    var deployments = client.apps().deployments().inNamespace(Scene.NAMESPACE);
    return deployments.withName("gpu-operator").require();
  }

  private long policyGeneration() {
    return client
        .genericKubernetesResources("nvidia.com/v1", "ClusterPolicy")
        .withName("cluster-policy")
        .require()
        .getMetadata()
        .getGeneration();
  }

  private FleetPolicies fleet() {
    return new FleetPolicies(client);
  }

  private Policy policy() {
    return new Policy(client, "cluster-policy");
  }
}
