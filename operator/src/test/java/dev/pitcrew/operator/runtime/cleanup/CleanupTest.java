package dev.pitcrew.operator.runtime.cleanup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.operator.command.CleanupOptions;
import dev.pitcrew.operator.runtime.crds.ManageCrds;
import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/// Has a control plane of its own, because it starts from a cluster without definitions.
@Tag("cluster")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CleanupTest {
  private static final String NAMESPACE = "default";
  private static final CustomResourceKind CLUSTER_POLICY = CustomResourceKind.POLICIES.getFirst();
  private static final CustomResourceKind NVIDIA_DRIVER = CustomResourceKind.POLICIES.get(1);

  private static ControlPlane controlPlane;
  private static KubernetesClient client;

  private final StringWriter output = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @BeforeAll
  static void start() {
    controlPlane = ControlPlane.start(ControlPlaneOptions.defaults());
    client = controlPlane.client();
  }

  @AfterAll
  static void stop() {
    controlPlane.close();
  }

  @Test
  @Order(1)
  void clusterWithoutTheKindsIsClean() {
    assertThat(cleanup(Duration.ofSeconds(30))).isZero();
    assertThat(output.toString().strip()).isEqualTo("clean");
  }

  // Takes half a minute: so long the garbage collector may need to learn of a new definition.
  @Test
  @Order(2)
  void everyObjectAndItsDaemonSetsAreGoneWhenItReturns() {
    define(CLUSTER_POLICY, NVIDIA_DRIVER, CustomResourceKind.GPU_NODE);
    var policy = create(CLUSTER_POLICY, "cluster-policy", List.of());
    create(NVIDIA_DRIVER, "default", List.of());
    create(CustomResourceKind.GPU_NODE, "gpu-1", List.of());
    daemonSet("owned", policy);
    daemonSet("foreign", null);

    assertThat(cleanup(Duration.ofSeconds(60))).isZero();

    assertThat(
            List.of(
                names(CLUSTER_POLICY), names(NVIDIA_DRIVER), names(CustomResourceKind.GPU_NODE)))
        .allSatisfy(names -> assertThat(names).isEmpty());
    assertThat(client.apps().daemonSets().inNamespace(NAMESPACE).list().getItems())
        .extracting(daemonSet -> daemonSet.getMetadata().getName())
        .containsExactly("foreign");
    assertThat(output.toString())
        .contains("deleting ClusterPolicy/cluster-policy", "deleting GPUNode/gpu-1")
        .endsWith("clean" + System.lineSeparator());
    assertThat(errors.toString()).isEmpty();
  }

  /// A ClusterPolicy hands its driver pods over to an NVIDIADriver, and its operator is killed.
  @Test
  @Order(6)
  void driversThatAnOperatorHeldGoToo() {
    daemonSet("held", null);
    var daemonSets = client.apps().daemonSets().inNamespace(NAMESPACE);
    daemonSets
        .withName("held")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"finalizers\": [\"pitcrew.dev/pods-stay\"]}}");
    daemonSets.withName("held").delete();
    pod("orphan", "nvidia-driver");
    pod("unrelated", "driver-of-another-owner");

    assertThat(cleanup(Duration.ofSeconds(30))).isZero();

    await().atMost(Duration.ofSeconds(30)).until(() -> daemonSets.withName("held").get() == null);
    assertThat(client.pods().inNamespace(NAMESPACE).list().getItems())
        .extracting(pod -> pod.getMetadata().getName())
        .contains("unrelated")
        .doesNotContain("orphan");
    assertThat(output.toString()).contains("deleting Pod/orphan, which no DaemonSet has");
  }

  private static void pod(String name, String component) {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .addToLabels("app.kubernetes.io/component", component)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("c")
                .withImage("i")
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  @Test
  @Order(3)
  void objectThatIsHeldIsNamedWhenTimeIsUpAndKeepsItsDefinition() {
    create(NVIDIA_DRIVER, "held", List.of("pitcrew.test/hold"));

    assertThat(cleanup(new CleanupOptions(NAMESPACE, "", Duration.ofSeconds(1), true)))
        .isEqualTo(1);
    assertThat(definitions()).contains("nvidiadrivers.nvidia.com");
    assertThat(errors.toString())
        .contains("still there after 1 s: NVIDIADriver/held;", "finalizer");
  }

  @Test
  @Order(4)
  void objectThatLosesItsFinalizerMeanwhile_isAwaited() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var result = threads.submit(() -> cleanup(Duration.ofSeconds(60)));
      client
          .genericKubernetesResources(NVIDIA_DRIVER.context())
          .withName("held")
          .edit(held -> {
            held.getMetadata().setFinalizers(List.of());
            return held;
          });

      assertThat(result.get(60, TimeUnit.SECONDS)).isZero();
    }
  }

  @Test
  @Order(5)
  void definitionsGoLastIfTheyAreToGo() {
    create(NVIDIA_DRIVER, "default", List.of());

    assertThat(cleanup(new CleanupOptions(NAMESPACE, "", Duration.ofSeconds(60), true))).isZero();

    assertThat(output.toString())
        .containsSubsequence(
            "deleting NVIDIADriver/default", "clean", "deleted nvidiadrivers.nvidia.com");
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            definitions().equals(Set.of("clusterpolicies.nvidia.com", "gpunodes.pitcrew.dev")));
  }

  private static Set<String> definitions() {
    return client.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
        .map(definition -> definition.getMetadata().getName())
        .collect(Collectors.toSet());
  }

  private int cleanup(Duration timeout) {
    return cleanup(new CleanupOptions(NAMESPACE, "", timeout, false));
  }

  private int cleanup(CleanupOptions options) {
    var out = new PrintWriter(output, true);
    var err = new PrintWriter(errors, true);
    var definitions =
        new ManageCrds(CleanupTest::open, () -> List.of(yaml(NVIDIA_DRIVER)), out, err);
    return new Cleanup(CleanupTest::open, definitions, out, err).run(options);
  }

  private static KubernetesClient open(String ignoredDefault) {
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(controlPlane.kubeconfigFile().toFile()))
        .build();
  }

  private static void define(CustomResourceKind... kinds) {
    for (CustomResourceKind kind : kinds) {
      client.resource(definition(kind)).create();
    }
    for (CustomResourceKind kind : kinds) {
      client
          .apiextensions()
          .v1()
          .customResourceDefinitions()
          .withName(kind.plural() + "." + kind.group())
          .waitUntilCondition(Definitions::isEstablished, 20, TimeUnit.SECONDS);
    }
  }

  private static CustomResourceDefinition definition(CustomResourceKind kind) {
    return client
        .getKubernetesSerialization()
        .unmarshal(yaml(kind), CustomResourceDefinition.class);
  }

  private static String yaml(CustomResourceKind kind) {
    return """
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: %s.%s}
    spec:
      group: %2$s
      scope: Cluster
      names: {kind: %s, plural: %1$s}
      versions:
      - {name: %s, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
    """
        .formatted(kind.plural(), kind.group(), kind.kind(), kind.version());
  }

  private static GenericKubernetesResource create(
      CustomResourceKind kind, String name, List<String> finalizers) {
    var object = new GenericKubernetesResource();
    object.setApiVersion(kind.group() + "/" + kind.version());
    object.setKind(kind.kind());
    object.setMetadata(new ObjectMetaBuilder().withName(name).withFinalizers(finalizers).build());
    return client.genericKubernetesResources(kind.context()).resource(object).create();
  }

  private static List<String> names(CustomResourceKind kind) {
    return client.genericKubernetesResources(kind.context()).list().getItems().stream()
        .map(object -> object.getMetadata().getName())
        .toList();
  }

  private static void daemonSet(String name, @Nullable GenericKubernetesResource owner) {
    var labels = Map.of("app", name);
    var daemonSet =
        new DaemonSetBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withNewSpec()
            .withNewSelector()
            .withMatchLabels(labels)
            .endSelector()
            .withNewTemplate()
            .withNewMetadata()
            .withLabels(labels)
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("c")
            .withImage("i")
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();
    if (owner != null) {
      daemonSet
          .getMetadata()
          .setOwnerReferences(
              List.of(
                  new OwnerReferenceBuilder()
                      .withApiVersion(owner.getApiVersion())
                      .withKind(owner.getKind())
                      .withName(owner.getMetadata().getName())
                      .withUid(owner.getMetadata().getUid())
                      .build()));
    }
    client.resource(daemonSet).inNamespace(NAMESPACE).create();
  }
}
