package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.api.Crds;
import dev.pitcrew.testbed.node.ProbePod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
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
  private static final String SELECTED = "gpu-claims";
  private static final String LABEL = "resource.nvidia.com/computeDomain";
  private static final List<String> CRDS =
      List.of(
          "resource.nvidia.com_computedomains.yaml",
          "resource.nvidia.com_computedomaincliques.yaml");

  private final GpuNode node;
  private final AgentOnNode agent;

  DomainsOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
  }

  @BeforeEach
  void serveDomains() {
    CRDS.forEach(file -> apply(Crds.yaml(file)));
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: compute-domain-default-channel.nvidia.com}
        spec:
          selectors:
            - cel: {expression: "device.driver == 'compute-domain.nvidia.com' && device.attributes['compute-domain.nvidia.com'].type == 'channel' && device.attributes['compute-domain.nvidia.com'].id == 0"}
        """);
    agent.serveDomains();
    agent.label(SELECTED, "true");
    agent.begin("domain-agent");
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(devices()).as(agent.lastOutput()).containsExactly("channel-0", "daemon-0"));
  }

  @AfterEach
  void close() {
    claims().forEach(claim -> client().resource(claim).delete());
    await().atMost(LIMIT).until(() -> claims().isEmpty());
    domain().delete();
    agent.label(SELECTED, "false");
    await().atMost(LIMIT).until(() -> devices().isEmpty());
    agent.close();
    CRDS.forEach(file -> client().load(stream(Crds.yaml(file))).delete());
  }

  /// The kubelet's call ends without an answer when the agent is killed, and is repeated.
  @Test
  void podOfADomainStartsOnceItsDaemonIsReady_alsoAfterAKill() {
    String uid = createDomain();
    claim(uid);
    try (var pod = ProbePod.create(client(), ProbePodSpec.on(node.node()).withClaim("channel"))) {
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
              assertThat(events(pod))
                  .anyMatch(text ->
                      text.contains(
                          "the IMEX daemon of ComputeDomain default/training has not reported")));
      events(pod).forEach(System.out::println);

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
    apply(
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
    apply(
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

  private List<ResourceClaim> claims() {
    return client().resources(ResourceClaim.class).inNamespace("default").list().getItems();
  }

  private List<String> devices() {
    return client().resources(ResourceSlice.class).list().getItems().stream()
        .filter(slice -> slice.getSpec().getDriver().equals("compute-domain.nvidia.com"))
        .flatMap(slice -> slice.getSpec().getDevices().stream())
        .map(device -> device.getName())
        .sorted()
        .toList();
  }

  private List<String> events(ProbePod pod) {
    return client().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> pod.name().equals(event.getInvolvedObject().getName()))
        .map(event -> event.getReason() + ": " + event.getMessage())
        .toList();
  }

  private void apply(String yaml) {
    client().load(stream(yaml)).serverSideApply();
  }

  private static ByteArrayInputStream stream(String yaml) {
    return new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
  }

  private KubernetesClient client() {
    return node.client();
  }
}
