package dev.pitcrew.agent.driver;

import static dev.pitcrew.agent.driver.PreparationBed.IMPATIENT;
import static dev.pitcrew.agent.driver.PreparationBed.LIMIT;
import static dev.pitcrew.agent.driver.PreparationBed.LONG_TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.kubelet.podresources.ClaimResource;
import dev.pitcrew.kubelet.podresources.ContainerResources;
import dev.pitcrew.kubelet.podresources.DynamicResource;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Pods that hold GPUs are waited for, others are not. The account may not read a pod of theirs.
@WithControlPlane
class GpuHoldersTest {
  @TempDir private Path folder;
  private PreparationBed bed;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) throws IOException {
    bed = PreparationBed.create(plane, namespace.name(), folder);
    bed.host().withDriver("1234");
  }

  @AfterEach
  void remove() {
    bed.close();
    bed.client()
        .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
        .inNamespace(bed.account().namespace())
        .delete();
  }

  @Test
  void podsAreNamedThatHoldADeviceOrAClaim() throws Exception {
    claim("own", "gpu.nvidia.com", false);
    bed.kubelet().add(pod("train", "own", "gpu.nvidia.com"));
    bed.kubelet().add(pod("unread", "not-at-the-api-server", "gpu.nvidia.com"));
    bed.hold("serve", "nvidia.com/mig-1g.10gb");
    bed.hold("share", "nvidia.com/gpu.shared");

    PreparationResult result = bed.run("5678", IMPATIENT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words())
        .contains("pods team/serve, team/share, team/train, team/unread hold a GPU");
    assertThat(bed.host().hasDriver()).isTrue();
  }

  @Test
  void podWithoutAGpu_isNotAwaited() throws Exception {
    bed.client()
        .namespaces()
        .withName(bed.account().namespace())
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"resource.kubernetes.io/admin-access\": \"true\"}}}");
    bed.kubelet().add(pod("net", "card", "network.example.com"));
    claim("watch", "gpu.nvidia.com", true);
    bed.kubelet().add(pod("monitor", "watch", "gpu.nvidia.com"));
    bed.hold("mpi", "nvidia.com/rdma");
    bed.hold("encode", "example.com/fpga");

    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);

    assertThat(bed.host().hasDriver()).isFalse();
  }

  @Test
  void manager_continuesOnceThePodIsGone() throws Exception {
    claim("own", "gpu.nvidia.com", false);
    bed.kubelet().add(pod("train", "own", "gpu.nvidia.com"));
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result = background.submit(() -> bed.run("5678", LONG_TIMEOUT));
      await().atMost(LIMIT).until(() -> bed.said().contains("team/train holds a GPU"));
      assertThat(bed.host().unloaded()).isEmpty();
      bed.kubelet().end("train");
      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
  }

  @Test
  void aKubeletThatDoesNotAnswerIsWaitedFor() throws Exception {
    bed.kubelet().close();
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result = background.submit(() -> bed.run("5678", LONG_TIMEOUT));
      await()
          .atMost(LIMIT)
          .until(() -> bed.said().contains("the kubelet to say which pods hold a GPU"));
      assertThat(bed.host().unloaded()).isEmpty();
      try (var _ = TestPodResources.start(bed.host().at("/"))) {
        assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
            .isInstanceOf(PreparationResult.MayStart.class);
      }
    }
    assertThat(bed.said()).isEmpty();
  }

  private void claim(String name, String driver, boolean isForAdministrators) {
    bed.client()
        .load(
            new ByteArrayInputStream(
                """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s, namespace: %s}
                spec: {devices: {requests: [{name: it, exactly: {deviceClassName: some}}]}}
                """
                    .formatted(name, bed.account().namespace())
                    .getBytes(StandardCharsets.UTF_8)))
        .create();
    bed.client()
        .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
        .inNamespace(bed.account().namespace())
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"allocation": {"devices": {"results":
              [{"request": "it", "driver": "%s", "pool": "%s", "device": "device-0"%s}]}}}}
            """
                .formatted(
                    driver, bed.node(), isForAdministrators ? ", \"adminAccess\": true" : ""));
  }

  /// As the kubelet lists a pod that it has prepared a claim for.
  private PodResources pod(String name, String claim, String driver) {
    var device = ClaimResource.newBuilder().setDriverName(driver).setDeviceName("device-0");
    return PodResources.newBuilder()
        .setNamespace("team")
        .setName(name)
        .addContainers(
            ContainerResources.newBuilder()
                .setName("main")
                .addDynamicResources(
                    DynamicResource.newBuilder()
                        .setClaimName(claim)
                        .setClaimNamespace(bed.account().namespace())
                        .addClaimResources(device)))
        .build();
  }
}
