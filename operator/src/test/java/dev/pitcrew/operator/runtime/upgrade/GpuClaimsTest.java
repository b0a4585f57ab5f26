package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A pod holds a GPU by whichever claim it has of a driver of GPUs.
@WithControlPlane
class GpuClaimsTest {
  private final KubernetesClient client;
  private final String namespace;

  GpuClaimsTest(ControlPlane plane, TestNamespace namespace) {
    this.client = plane.client();
    this.namespace = namespace.name();
  }

  @BeforeEach
  void allocate() {
    claim("gpu", "gpu.nvidia.com");
    claim("card", "network.example.com");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nothing               | {}                                           | {}                                                                        | false
          a claim of its own    | {resourceClaims: [{resourceClaimName: gpu}]} | {}                                                                        | true
          one from a template   | {resourceClaims: [{name: it}]}               | {resourceClaimStatuses: [{name: it, resourceClaimName: gpu}]}             | true
          an extended resource  | {}                                           | {extendedResourceClaimStatus: {resourceClaimName: gpu}}                   | true
          a claim of a card     | {resourceClaims: [{resourceClaimName: card}]} | {}                                                                       | false
          a card and a GPU      | {resourceClaims: [{resourceClaimName: card}]} | {extendedResourceClaimStatus: {resourceClaimName: gpu}}                  | true
          a claim that has gone | {resourceClaims: [{resourceClaimName: gone}]} | {}                                                                       | false
          """)
  void podsThatHoldAGpu(String title, String spec, String status, boolean holds) {
    Pod pod =
        Serialization.unmarshal(
            "metadata: {name: p, namespace: %s, uid: u}\nspec: %s\nstatus: %s\n"
                .formatted(namespace, spec, status),
            Pod.class);

    assertThat(new GpuClaims(client).holdsGpu(pod)).isEqualTo(holds);
    assertThat(new GpuClaims(client).holdsGpu(SlimPods.workload(pod)))
        .as("of what is kept of it")
        .isEqualTo(holds);
  }

  private void claim(String name, String driver) {
    var yaml =
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: %s, namespace: %s}
        spec: {devices: {requests: [{name: it, exactly: {deviceClassName: some}}]}}
        """
            .formatted(name, namespace);
    client.load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).serverSideApply();
    client
        .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
        .inNamespace(namespace)
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"allocation": {"devices": {"results":
              [{"request": "it", "driver": "%s", "pool": "node", "device": "device-0"}]}}}}
            """
                .formatted(driver));
  }
}
