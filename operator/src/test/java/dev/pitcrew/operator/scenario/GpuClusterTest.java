package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/// A GPUCluster through its life; what it brings is compared in `parity/scenarios`.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class GpuClusterTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String SCENARIO = "gpucluster-default";
  private static final String PLUGIN_ACCOUNT = "nvidia-dra-driver-kubeletplugin";

  private final ControlPlane controlPlane;
  private Scene scene;
  private KubernetesClient client;

  GpuClusterTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeAll
  void enter() throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
    client = scene.client();
    scene.start(Launch.PLAIN);
    try (var yaml = Files.newInputStream(Scene.scenario(SCENARIO).file("cr.yaml").orElseThrow())) {
      client.load(yaml).items().forEach(object -> client.resource(object).create());
    }
    awaitReady();
  }

  @AfterAll
  void leave() {
    scene.close();
  }

  @Test
  void badInputOfOnePartLeavesItRunningAndIsNamed() {
    var daemonSets = client.apps().daemonSets().inNamespace(Scene.NAMESPACE);
    var exporter = daemonSets.withName("nvidia-dcgm-exporter-dra");
    String uid = exporter.require().getMetadata().getUid();

    edit("{\"dcgmExporter\": {\"image\": \"dcgm exporter\"}}");
    awaitMessage("spec.dcgmExporter", "dcgm exporter");
    assertThat(exporter.require().getMetadata().getUid()).isEqualTo(uid);

    edit("{\"dcgmExporter\": {\"image\": \"dcgm-exporter\"}}");
    awaitReady();
  }

  @Test
  void whatIsSwitchedOffGoesAndComesBack() {
    var exporter =
        client
            .apps()
            .daemonSets()
            .inNamespace(Scene.NAMESPACE)
            .withName("nvidia-dcgm-exporter-dra");
    var templates =
        client
            .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaimTemplate")
            .inNamespace(Scene.NAMESPACE);

    edit("{\"dcgmExporter\": {\"enabled\": false}}");
    await()
        .atMost(LIMIT)
        .until(() ->
            exporter.get() == null
                && templates.withName("nvidia-dcgm-exporter-admin").get() == null);
    assertThat(templates.withName("nvidia-dra-validator-gpu").get()).isNotNull();

    edit("{\"dcgmExporter\": {\"enabled\": true}}");
    await().atMost(LIMIT).until(() -> exporter.get() != null);
    awaitReady();
  }

  @Test
  void anEditOfItsObjectsIsUndone() {
    var classes = client.genericKubernetesResources("resource.k8s.io/v1", "DeviceClass");
    classes
        .withName("mig.nvidia.com")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"selectors\": [{\"cel\": {\"expression\": \"true\"}}]}}");
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(classes.withName("mig.nvidia.com").require().toString())
                .contains("type == 'mig'"));

    classes.withName("vfio.gpu.nvidia.com").delete();
    await().atMost(LIMIT).until(() -> classes.withName("vfio.gpu.nvidia.com").get() != null);
  }

  @Test
  void nvidiasControllerOfComputeDomainsGoesWhileTheOperatorIsThat() {
    var controller =
        client
            .apps()
            .deployments()
            .inNamespace(Scene.NAMESPACE)
            .withName("nvidia-dra-driver-controller");
    var fabric = new DomainFabric(client);
    assertThat(controller.get()).isNotNull();

    try (var fleet = new FleetPolicies(client)) {
      fleet.createWithoutAgent();
      fleet.edit(DomainFabric.ORDER);
      await().atMost(LIMIT).until(() -> controller.get() == null);
      var uid = fabric.createDomain("of-the-cluster", 0, "of-the-cluster");
      await()
          .atMost(LIMIT)
          .until(() -> fabric.status("of-the-cluster").path("status").asText().equals("Ready"));
      fabric.domain("of-the-cluster").delete();
      await().atMost(LIMIT).untilAsserted(() -> assertThat(fabric.remains(uid)).isEmpty());
    }
    await().atMost(LIMIT).until(() -> controller.get() != null);
    awaitReady();
  }

  /// A token that has left its node is the attacker.
  @Test
  void theDriversTokenPublishesDevicesOfItsNodeOnly() {
    client
        .resource(new NodeBuilder().withNewMetadata().withName("other").endMetadata().build())
        .create();
    var identity = new AgentIdentity(controlPlane);
    try (var plugin = identity.on("gpu-1", PLUGIN_ACCOUNT);
        var nowhere = identity.withoutPod(PLUGIN_ACCOUNT)) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(slice("probe", "nodeName: other").answerTo(plugin))
                  .contains("resourceslices-policy-nvidia-dra-driver"));
      assertThat(slice("own", "nodeName: gpu-1").answerTo(plugin)).isEmpty();
      assertThat(slice("all", "allNodes: true").answerTo(plugin)).contains("its node only");
      assertThat(slice("nowhere", "nodeName: gpu-1").answerTo(nowhere)).contains("names no node");
      assertThat(slice("theirs", "nodeName: other").answerTo(client)).isEmpty();
      var theirs =
          new Attempt(
              "a slice of another node deleted",
              it ->
                  it.genericKubernetesResources("resource.k8s.io/v1", "ResourceSlice")
                      .withName("theirs")
                      .delete());
      assertThat(theirs.answerTo(plugin)).contains("its node only");
    }
  }

  private static Attempt slice(String name, String nodes) {
    return Attempt.create(
        "a ResourceSlice with " + nodes,
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: %s}
        spec:
          driver: gpu.nvidia.com
          %s
          pool: {name: %s, generation: 1, resourceSliceCount: 1}
          devices: [{name: gpu-0}]
        """
            .formatted(name, nodes, name));
  }

  @Test
  void anOperatorThatIsKilledIsFollowedByOneThatChangesNothing()
      throws IOException, InterruptedException {
    scene.settle();
    var before = scene.workloads().versions();
    scene.stopOperators();
    scene.start(Launch.PLAIN);
    scene.settle();

    assertThat(scene.workloads().versions()).isEqualTo(before);
    awaitReady();
  }

  private Resource<GenericKubernetesResource> cluster() {
    return client
        .genericKubernetesResources("nvidia.com/v1alpha1", "GPUCluster")
        .withName("gpu-cluster");
  }

  private void edit(String spec) {
    cluster().patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": " + spec + "}");
  }

  private void awaitReady() {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(status()).contains("state=ready").contains("reason=Reconciled"));
  }

  private void awaitMessage(String... parts) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(status()).contains("state=notReady").contains(parts));
  }

  private String status() {
    return Objects.toString(cluster().require().<Object>get("status"));
  }
}
