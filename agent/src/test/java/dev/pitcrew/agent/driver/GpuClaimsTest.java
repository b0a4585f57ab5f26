package dev.pitcrew.agent.driver;

import static dev.pitcrew.agent.driver.PreparationBed.IMPATIENT;
import static dev.pitcrew.agent.driver.PreparationBed.LIMIT;
import static dev.pitcrew.agent.driver.PreparationBed.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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

/// Pods that hold GPUs by ResourceClaims are waited for, others are not.
@WithControlPlane
class GpuClaimsTest {
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
  void thePodIsNamedWhicheverWayItHasTheClaim() throws Exception {
    claim("own", "gpu.nvidia.com");
    claim("made-for-it", "gpu.nvidia.com");
    pod("train", "resourceClaimName: own");
    pod("serve", "resourceClaimTemplateName: template");
    status(
        "serve",
        "{\"status\": {\"resourceClaimStatuses\": [{\"name\": \"device\", \"resourceClaimName\": \"made-for-it\"}]}}");

    Ending ending = bed.run("5678", IMPATIENT);

    assertThat(ending).isInstanceOf(Ending.Refused.class);
    assertThat(ending.words())
        .contains("pods %1$s/serve, %1$s/train hold a GPU".formatted(bed.account().namespace()));
    assertThat(bed.host().hasDriver()).isTrue();
  }

  /// The scheduler has made the claim, of which the pod itself says nothing (KEP-5004).
  @Test
  void aPodThatAsksForAnExtendedResourceOfADeviceClassIsNamed() throws Exception {
    claim("for-it", "gpu.nvidia.com");
    create(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: train, namespace: %s}
        spec:
          nodeName: %s
          containers:
          - {name: main, image: example.com/none, resources: {limits: {example.com/gpu: 1}}}
        """
            .formatted(bed.account().namespace(), bed.node()));
    status(
        "train",
        """
        {"status": {"extendedResourceClaimStatus": {"resourceClaimName": "for-it", "requestMappings": [
          {"containerName": "main", "resourceName": "example.com/gpu", "requestName": "it"}]}}}
        """);

    Ending ending = bed.run("5678", IMPATIENT);

    assertThat(ending.words())
        .contains("pod %s/train holds a GPU".formatted(bed.account().namespace()));
    assertThat(bed.host().hasDriver()).isTrue();
  }

  @Test
  void whatIsNoGpuIsNotWaitedFor() throws Exception {
    claim("card", "network.example.com");
    pod("net", "resourceClaimName: card");
    pod("early", "resourceClaimName: not-there-yet");
    claim("ended", "gpu.nvidia.com");
    pod("done", "resourceClaimName: ended");
    status("done", "{\"status\": {\"phase\": \"Succeeded\"}}");

    assertThat(bed.run("5678", PATIENT)).isInstanceOf(Ending.MayStart.class);

    assertThat(bed.host().hasDriver()).isFalse();
  }

  @Test
  void itGoesOnOnceThePodIsGone() throws Exception {
    claim("own", "gpu.nvidia.com");
    pod("train", "resourceClaimName: own");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> bed.run("5678", PATIENT));
      awaitWaitingFor("train");
      bed.delete("train");
      assertThat(ending.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(Ending.MayStart.class);
    }
  }

  private void awaitWaitingFor(String pod) {
    await()
        .atMost(LIMIT)
        .until(() -> bed.said().contains(bed.account().namespace() + "/" + pod + " holds a GPU"));
    assertThat(bed.host().unloaded()).isEmpty();
  }

  private void claim(String name, String driver) {
    create(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: %s, namespace: %s}
        spec: {devices: {requests: [{name: it, exactly: {deviceClassName: some}}]}}
        """
            .formatted(name, bed.account().namespace()));
    bed.client()
        .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
        .inNamespace(bed.account().namespace())
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"allocation": {"devices": {"results":
              [{"request": "it", "driver": "%s", "pool": "%s", "device": "device-0"}]}}}}
            """
                .formatted(driver, bed.node()));
  }

  private void pod(String name, String source) {
    create(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %s, namespace: %s}
        spec:
          nodeName: %s
          resourceClaims: [{name: device, %s}]
          containers: [{name: main, image: example.com/none, resources: {claims: [{name: device}]}}]
        """
            .formatted(name, bed.account().namespace(), bed.node(), source));
  }

  private void status(String pod, String patch) {
    bed.client()
        .pods()
        .inNamespace(bed.account().namespace())
        .withName(pod)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private void create(String yaml) {
    bed.client().load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
  }
}
