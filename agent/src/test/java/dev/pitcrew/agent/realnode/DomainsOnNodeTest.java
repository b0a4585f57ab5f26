package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.Crds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Test budget 200 s: a call of the kubelet that is refused is repeated after some time.
/// Claims for ComputeDomains with a real kubelet. The test is the controller and the IMEX daemon:
/// the GPUs of this node are in no NVLink fabric, where the daemon reports to the status of the
/// domain.
@WithGpuNode
class DomainsOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final String LABEL = "resource.nvidia.com/computeDomain";
  private static final List<String> CRDS =
      List.of(
          "resource.nvidia.com_computedomains.yaml",
          "resource.nvidia.com_computedomaincliques.yaml");

  private final GpuNode node;
  private final AgentOnNode agent;
  private final ClaimsOnNode claims;

  DomainsOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    claims = new ClaimsOnNode(node, "compute-domain.nvidia.com");
  }

  @BeforeEach
  void serveDomains() {
    CRDS.forEach(file -> claims.apply(Crds.yaml(file)));
    claims.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: compute-domain-default-channel.nvidia.com}
        spec:
          selectors:
            - cel: {expression: "device.driver == 'compute-domain.nvidia.com' && device.attributes['compute-domain.nvidia.com'].type == 'channel' && device.attributes['compute-domain.nvidia.com'].id == 0"}
        """);
    agent.serveDomains();
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("domain-agent");
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(claims.devices())
                .as(agent.lastOutput())
                .containsExactly("channel-0", "daemon-0"));
  }

  @AfterEach
  void close() {
    claims.deleteAll();
    domain().delete();
    agent.label(ClaimsOnNode.SELECTED, "false");
    await().atMost(LIMIT).until(() -> claims.devices().isEmpty());
    agent.close();
    CRDS.forEach(file ->
        client()
            .load(new ByteArrayInputStream(Crds.yaml(file).getBytes(StandardCharsets.UTF_8)))
            .delete());
  }

  /// The kubelet's call ends without an answer when the agent is killed, and is repeated.
  @Test
  void podOfADomainStartsOnceItsDaemonIsReady_alsoAfterAKill() {
    String uid = createDomain();
    claim(uid);
    try (var pod = claims.create("channel")) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> assertThat(agent.label(LABEL)).as(agent.lastOutput()).isEqualTo(uid));
      assertThat(pod.isRunning()).isFalse();
      agent.kill();
      agent.begin("domain-agent-2");
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(claims.events(pod))
                  .anyMatch(text ->
                      text.contains(
                          "the IMEX daemon of ComputeDomain default/training has not reported")));
      claims.events(pod).forEach(System.out::println);

      long ready = System.nanoTime();
      daemonIsReady();
      await().atMost(LIMIT).pollInterval(Duration.ofMillis(50)).until(pod::isRunning);
      System.out.printf(
          "daemon ready -> pod runs after %d ms%n", (System.nanoTime() - ready) / 1_000_000);
      assertThat(agent.label(LABEL)).isEqualTo(uid);
    }
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.label(LABEL)).as("the last pod of the domain has ended").isEmpty());
  }

  private String createDomain() {
    claims.apply(
        """
        apiVersion: resource.nvidia.com/v1beta1
        kind: ComputeDomain
        metadata: {name: training, namespace: default}
        spec:
          numNodes: 1
          channel: {resourceClaimTemplate: {name: training-channel}}
        """);
    return domain().get().getMetadata().getUid();
  }

  private void daemonIsReady() {
    String status =
        """
        {"status": {"status": "Ready", "nodes": [
          {"name": "%s", "status": "Ready", "ipAddress": "192.0.2.1", "cliqueID": "", "index": 0}]}}
        """;
    domain()
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), status.formatted(node.node().name()));
  }

  private Resource<GenericKubernetesResource> domain() {
    return client()
        .genericKubernetesResources("resource.nvidia.com/v1beta1", "ComputeDomain")
        .inNamespace("default")
        .withName("training");
  }

  private void claim(String domain) {
    claims.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: channel, namespace: default}
        spec:
          devices:
            requests:
              - {name: channel, exactly: {deviceClassName: compute-domain-default-channel.nvidia.com}}
            config:
              - requests: [channel]
                opaque:
                  driver: compute-domain.nvidia.com
                  parameters:
                    apiVersion: resource.nvidia.com/v1beta1
                    kind: ComputeDomainChannelConfig
                    domainID: %s
                    allocationMode: Single
        """
            .formatted(domain));
  }

  private KubernetesClient client() {
    return node.client();
  }
}
