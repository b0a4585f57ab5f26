package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Test budget 150 s: GPUs that move wait for the kubelet, which updates its Node every few seconds.
/// The agent as the DRA driver of a real kubelet, with claims that the real scheduler allocates.
@WithGpuNode
class DraOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String SELECTED = "gpu-claims";

  private final GpuNode node;
  private final AgentOnNode agent;

  DraOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
  }

  @BeforeEach
  void serveClaims() {
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: gpu.nvidia.com}
        spec:
          selectors:
            - cel: {expression: "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}
        """);
    agent.serveClaims();
    agent.label(SELECTED, "false");
  }

  @AfterEach
  void close() {
    claims().list().getItems().forEach(claim -> client().resource(claim).delete());
    agent.label(SELECTED, "false");
    if (!devices().isEmpty()) {
      await().atMost(LIMIT).until(() -> devices().isEmpty());
    }
    agent.close();
  }

  @Test
  void gpusMoveToClaimsAndBack_whilePodsKeepTheirs() {
    PluginProcess.awaitRegistered(agent.begin("dra-agent"));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (var old = node.run(1)) {
      agent.label(SELECTED, "true");
      await().atMost(LIMIT).until(() -> devices().size() == GpuNode.GPUS - 1);
      node.awaitAllocatable(GpuNode.GPU, 1);
      System.out.printf("claims serve %s, a pod has %s%n", devices(), old.gpus());
      claim("first", "device.attributes['gpu.nvidia.com'].architecture == 'Ampere'", "");
      try (var pod = run("first")) {
        assertThat(pod.gpus()).hasSize(1).doesNotContainAnyElementsOf(old.gpus());
        assertThat(pod.missingForCuda()).isEmpty();
        assertThat(agent.condition("DevicesAdvertised")).isEqualTo("True");

        // The agent dies and comes back: neither pod nor claim notices.
        agent.kill();
        PluginProcess.awaitRegistered(agent.begin("dra-agent-2"));
        claim("second", "", "");
        try (var other = run("second")) {
          assertThat(other.gpus()).hasSize(1).doesNotContainAnyElementsOf(pod.gpus());
        }

        agent.label(SELECTED, "false");
        await().atMost(LIMIT).until(() -> devices().isEmpty());
        delete("second");
        node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 1);
        assertThat(pod.isRunning()).isTrue();
        assertThat(old.isRunning()).isTrue();
      }
      delete("first");
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertThat(old.isRunning()).isTrue();
    }
  }

  @Test
  void settingsThatAreNotProvided_areReportedToTheUserByTheKubelet() {
    agent.label(SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> devices().size() == GpuNode.GPUS);
    claim(
        "bad",
        "",
        """
            config:
              - opaque:
                  driver: gpu.nvidia.com
                  parameters:
                    apiVersion: resource.nvidia.com/v1beta1
                    kind: GpuConfig
                    sharing: {strategy: TimeSlicing, timeSlicingConfig: {}}
        """);
    try (var pod = ProbePod.create(client(), ProbePodSpec.on(node.node()).withClaim("bad"))) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(events(pod))
                  .anyMatch(text ->
                      text.contains("FailedPrepareDynamicResources")
                          && text.contains("sharing.strategy is \"TimeSlicing\"")));
      events(pod).forEach(System.out::println);
    }
    claim("good", "", "");
    try (var pod = run("good")) {
      assertThat(pod.gpus()).as("the driver goes on").hasSize(1);
    }
  }

  private Stream<String> eventsOf(ProbePod pod) {
    return client().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> pod.name().equals(event.getInvolvedObject().getName()))
        .map(event -> event.getReason() + ": " + event.getMessage());
  }

  private List<String> events(ProbePod pod) {
    return eventsOf(pod).toList();
  }

  private GpuPod run(String claim) {
    return GpuPod.run(client(), ProbePodSpec.on(node.node()).withClaim(claim));
  }

  /// @param expression of CEL; empty for none
  /// @param more of the claim's `devices`, as YAML
  private void claim(String name, String expression, String more) {
    String selectors =
        expression.isEmpty()
            ? ""
            : ", selectors: [{cel: {expression: \"%s\"}}]".formatted(expression);
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: %s, namespace: default}
        spec:
          devices:
            requests:
              - {name: gpu, exactly: {deviceClassName: gpu.nvidia.com%s}}
        """
                .formatted(name, selectors)
            + more.indent(0));
  }

  private void delete(String claim) {
    claims().withName(claim).delete();
    await().atMost(LIMIT).until(() -> claims().withName(claim).get() == null);
  }

  private NonNamespaceOperation<
          ResourceClaim, KubernetesResourceList<ResourceClaim>, Resource<ResourceClaim>>
      claims() {
    return client().resources(ResourceClaim.class).inNamespace("default");
  }

  /// The names of the devices in the node's ResourceSlices.
  private List<String> devices() {
    return client().resources(ResourceSlice.class).list().getItems().stream()
        .filter(slice -> node.node().name().equals(slice.getSpec().getNodeName()))
        .flatMap(slice -> slice.getSpec().getDevices().stream())
        .map(device -> device.getName())
        .sorted()
        .toList();
  }

  private void apply(String yaml) {
    client()
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .serverSideApply();
  }

  private KubernetesClient client() {
    return node.client();
  }
}
