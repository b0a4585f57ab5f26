package dev.pitcrew.agent.status.plan;

import static dev.pitcrew.agent.status.plan.ApiCalls.GPU_NODE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.host.HostProfile;
import dev.pitcrew.agent.host.HostSigns;
import dev.pitcrew.agent.host.NodeMarks;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.Crds;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HostOwner;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@WithControlPlane
class StatusApplyTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final String STATUS = GPU_NODE + "/status";

  private final KubernetesClient client;
  private final ApiCalls api;
  private Instant now = NOW;

  StatusApplyTest(KubernetesClient client) {
    this.client = client;
    api = new ApiCalls(client);
  }

  @BeforeAll
  static void define(KubernetesClient client) {
    byte[] yaml = Crds.yaml("pitcrew.dev_gpunodes.yaml").getBytes(StandardCharsets.UTF_8);
    client.load(new ByteArrayInputStream(yaml)).serverSideApply();
    await()
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(() -> client.raw("/apis/pitcrew.dev/v1alpha1/gpunodes") != null);
  }

  @BeforeEach
  void create() {
    String uid =
        client
            .resource(new NodeBuilder().withNewMetadata().withName("node-a").endMetadata().build())
            .create()
            .getMetadata()
            .getUid();
    JsonNode created = api.apply(GPU_NODE, "pitcrew-agent", StatusApply.create("node-a", uid));
    assertThat(created.path("metadata").path("ownerReferences").path(0).path("uid").asText())
        .isEqualTo(uid);
  }

  @Test
  void statusIsWrittenOnceAndAgainOnlyWhenItChanges() {
    assertThat(write(TestNode.onBus(2))).isTrue();
    assertThat(write(TestNode.onBus(2))).isFalse();

    assertThat(write(TestNode.well(2))).isTrue();
    assertThat(write(TestNode.well(2))).isFalse();
    assertThat(write(TestNode.unknown())).isFalse();
    assertThat(live().gpus()).hasSize(2);
  }

  @Test
  void hostIsWrittenOnceAndKeptWhileItWasNotLookedAt(@TempDir Path folder) throws IOException {
    Files.createDirectories(folder.resolve("etc"));
    Files.writeString(folder.resolve("etc/os-release"), "ID=cos\nNAME=" + "x\u0007".repeat(400));
    var host = HostSigns.of(new HostRoot(folder));
    assertThat(write(TestNode.well(1).withHost(HostProfile.of(host, NodeMarks.NONE)))).isTrue();
    assertThat(write(TestNode.well(1).withHost(HostProfile.of(host, NodeMarks.NONE)))).isFalse();
    assertThat(write(TestNode.well(1))).isFalse();

    assertThat(live().host().profile()).isEqualTo("ContainerOptimizedOS");
    assertThat(live().host().name()).hasSizeLessThanOrEqualTo(256);
    assertThat(live().host().runtime().owner()).isEqualTo(HostOwner.HOST);
    assertThat(live().host().runtime().reason()).contains("created again at each boot");
  }

  @Test
  void fieldThatIsNoLongerReported_isRemoved_andFieldsOfTheOperatorStay() {
    write(TestNode.of(Nodes.of(Nodes.divided(0, 2), Nodes.gpu(1, new Mig.NotCapable()))));
    api.apply(
        STATUS,
        "pitcrew",
        ApiJson.read(
            """
            {"apiVersion": "pitcrew.dev/v1alpha1", "kind": "GPUNode", "metadata": {"name": "node-a"},
             "status": {"rollout": {"phase": "Pending"}}}
            """,
            JsonNode.class));

    assertThat(write(TestNode.of(Nodes.of(Nodes.divided(0, 1))))).isTrue();
    assertThat(write(TestNode.of(Nodes.of(Nodes.divided(0, 1))))).isFalse();

    assertThat(live().gpus()).hasSize(1);
    assertThat(live().gpus().getFirst().instances()).hasSize(1);
    assertThat(live().rollout().isAbsent()).isFalse();
  }

  @Test
  void unhealthyGpu_isWrittenAndRemoved() {
    var unhealthy =
        new UnhealthyDevices(Map.of(Nodes.uuid(1), new UnhealthyDevices.Xid(79, NOW)), Map.of());
    write(TestNode.well(2));

    assertThat(write(TestNode.well(2).withUnhealthy(unhealthy))).isTrue();
    assertThat(live().gpus().get(1).health().evidence()).hasSize(1);
    assertThat(write(TestNode.well(2).withUnhealthy(unhealthy))).isFalse();

    assertThat(write(TestNode.well(2))).isTrue();
    assertThat(live().gpus().get(1).health().evidence()).isEmpty();
  }

  @Test
  void labelsSayWhatTheStatusSays_andThoseOfUsersStay() {
    write(TestNode.well(2));
    api.merge(
        GPU_NODE,
        "kubectl-label",
        "{'metadata': {'labels': {'team': 'a', 'pitcrew.dev/health': 'Replace'}}}");

    assertThat(label()).isTrue();
    assertThat(label()).isFalse();
    assertThat(labels())
        .isEqualTo(
            Map.of(
                "team", "a",
                "pitcrew.dev/health", "Healthy",
                "pitcrew.dev/ready", "true",
                "pitcrew.dev/product", "A100-SXM4-40GB",
                "pitcrew.dev/driver", "550.163.01"));
    assertThat(write(TestNode.well(2))).isFalse();

    write(TestNode.onBus(2));
    assertThat(label()).isTrue();
    assertThat(label()).isFalse();
    // What was last read of the GPUs stays in the status while there is no driver to read them.
    assertThat(labels())
        .isEqualTo(
            Map.of(
                "team", "a",
                "pitcrew.dev/health", "Healthy",
                "pitcrew.dev/ready", "false",
                "pitcrew.dev/product", "A100-SXM4-40GB"));
  }

  @Test
  void gpuNodeThatIsDeletedMeanwhile_isNotMadeByItsLabels() {
    write(TestNode.well(2));
    JsonNode body = StatusApply.labels(api.live(GPU_NODE)).orElseThrow();
    client
        .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
        .withName("node-a")
        .delete();

    assertThatThrownBy(() -> api.apply(GPU_NODE, "pitcrew-agent", body))
        .hasMessageContaining("409");
  }

  private boolean label() {
    Optional<JsonNode> body = StatusApply.labels(api.live(GPU_NODE));
    body.ifPresent(it -> api.apply(GPU_NODE, "pitcrew-agent", it));
    return body.isPresent();
  }

  private Map<?, ?> labels() {
    return ApiJson.read(api.live(GPU_NODE).at("/metadata/labels"), Map.class);
  }

  @Test
  void nothingThatADeviceSaysIsRefused() {
    assertThat(write(HostileNode.node())).isTrue();
    assertThat(live().gpus()).hasSize(64);
    assertThat(write(HostileNode.node())).isFalse();

    assertThat(write(TestNode.onBus(1).withoutDriver("\u0000\ud800".repeat(40000)))).isTrue();
    assertThat(write(TestNode.well(1))).isTrue();
  }

  @Test
  void statusThatAnotherWriterChanged_isRestored() {
    write(TestNode.well(2));
    api.merge(STATUS, "kubectl-edit", "{'status': {'gpuCount': 7}}");

    assertThat(write(TestNode.well(2))).isTrue();
    assertThat(live().gpuCount()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'runtime': {'name': 'crio', 'handlers': ['nvidia']} | 'runtime': {}",
        "'sharing': {'config': 'a'} | 'sharing': {}",
        "'host': {'name': 'Ubuntu', 'runtime': {'owner': 'Host'}} | 'host': {}",
        "'validation': [{'name': 'driver', 'state': 'Passed'}] | 'validation': []",
        "'gpus': [{'pciAddress': '0000:07:00.0', 'nvlinkPeers': ['0000:08:00.0']}]"
            + " | 'gpus': [{'pciAddress': '0000:07:00.0', 'nvlinkPeers': []}]",
      })
  void fieldThatBecomesEmpty_isRemoved(String before, String after) {
    write(status(before));

    assertThat(write(status(after))).isTrue();
    assertThat(live())
        .usingRecursiveComparison()
        .ignoringFieldsOfTypes(Map.class)
        .isEqualTo(status(after));
    assertThat(write(status(after))).isFalse();
  }

  private static GpuNodeStatus status(String fields) {
    return ApiJson.read(
        "{\"gpuCount\": 1, %s}".formatted(fields.replace('\'', '"')), GpuNodeStatus.class);
  }

  private boolean write(GpuNodeStatus wanted) {
    Optional<JsonNode> object = Optional.of(api.live(GPU_NODE));
    Optional<JsonNode> body = StatusApply.status("node-a", object, wanted);
    body.ifPresent(it -> api.apply(STATUS, "pitcrew-agent", it));
    return body.isPresent();
  }

  /// A minute later.
  private boolean write(TestNode node) {
    now = now.plusSeconds(60);
    Optional<JsonNode> object = Optional.of(api.live(GPU_NODE));
    return write(GpuNodeReport.of(node.facts(), StatusApply.read(object), now));
  }

  private GpuNodeStatus live() {
    return StatusApply.read(Optional.of(api.live(GPU_NODE)));
  }
}
