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

// Test budget 330 s: six times, GPUs move when the kubelet has updated its Node, which takes
// seconds.
/// The agent as the DRA driver of a real kubelet, with claims that the real scheduler allocates.
@WithGpuNode
class DraOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String SELECTED = "gpu-claims";
  private static final String MPS =
      """
          config:
            - opaque:
                driver: gpu.nvidia.com
                parameters:
                  apiVersion: resource.nvidia.com/v1beta1
                  kind: GpuConfig
                  sharing:
                    strategy: MPS
                    mpsConfig: {defaultActiveThreadPercentage: 50, defaultPinnedDeviceMemoryLimit: 10Gi}
      """;

  private final GpuNode node;
  private final AgentOnNode agent;
  private final MpsSupervisorOnNode supervisor;

  DraOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    supervisor = new MpsSupervisorOnNode(node);
  }

  @BeforeEach
  void serveClaims() {
    deviceClass("gpu.nvidia.com", "gpu", "extendedResourceName: nvidia.com/gpu");
    agent.serveClaims();
    agent.label(SELECTED, "false");
  }

  /// @param more of the spec
  private void deviceClass(String name, String type, String more) {
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: %s}
        spec:
          selectors:
            - cel: {expression: "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == '%s'"}
          %s
        """
            .formatted(name, type, more));
  }

  @AfterEach
  void close() {
    claims().list().getItems().forEach(claim -> client().resource(claim).delete());
    if (!taints().isEmpty()) {
      reloadDriver();
    }
    agent.label(SELECTED, "false");
    if (!devices().isEmpty()) {
      await().atMost(LIMIT).until(() -> devices().isEmpty());
    }
    supervisor.close();
    agent.close();
    node.gpus().divide("mode 0 0 0\nmode 1 0 0\n");
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

  /// On an Ampere GPU, whose MIG mode an administrator has switched on.
  @Test
  void migDevicesComeAndGoWithTheirClaims() {
    node.gpus().divide("mode 0 1 1\nmode 1 0 0\n");
    deviceClass("mig.nvidia.com", "mig", "");
    agent.serveClaims("{\"DynamicMIG\": true}");
    agent.label(SELECTED, "true");
    agent.begin("dra-agent");
    await()
        .atMost(LIMIT)
        .until(() -> devices().stream().anyMatch(name -> name.startsWith("gpu-0-mig-1g10gb-")));
    System.out.printf("claims serve %d devices%n", devices().size());

    migClaim("small", "1g.10gb");
    migClaim("large", "3g.40gb");
    try (var small = run("small");
        var large = run("large")) {
      assertThat(small.gpus()).containsExactly("/dev/nvidia0");
      assertThat(large.gpus()).containsExactly("/dev/nvidia0");
      assertThat(node.gpus().migDevices()).hasSize(2);
      System.out.println(node.gpus().migDevices());
    }
    delete("small");
    delete("large");
    await().atMost(LIMIT).until(() -> node.gpus().migDevices().isEmpty());
  }

  @Test
  void podsShareTheGpuOfAClaimByMps() {
    agent.label(SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> devices().size() == GpuNode.GPUS);
    claim("shared", "", MPS);
    try (var waiting =
        ProbePod.create(client(), ProbePodSpec.on(node.node()).withClaim("shared"))) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(events(waiting))
                  .anyMatch(
                      text -> text.contains("has no pod on this node in which it could run")));
      supervisor.start();
      await().atMost(LIMIT).until(waiting::isRunning);
      try (var other = run("shared")) {
        assertThat(other.gpus()).hasSize(1);
        assertThat(other.pod().variable("CUDA_MPS_PIPE_DIRECTORY")).contains("/tmp/nvidia-mps");
        assertThat(supervisor.daemons()).hasSize(1);
      }
    }
    delete("shared");
    await().atMost(LIMIT).until(() -> supervisor.daemons().isEmpty());
  }

  /// The scheduler makes a claim for a pod that knows nothing of claims (KEP-5004). The kubelet,
  /// whose Topology Manager is `restricted`, still knows the devices of a plugin that was killed.
  @Test
  void podThatAsksForNvidiaGpuGetsAClaimWhereClaimsServeTheNode() {
    PluginProcess.awaitRegistered(agent.begin("device-plugin"));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    agent.kill();
    agent.label(SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> devices().size() == GpuNode.GPUS);
    await().atMost(LIMIT).until(() -> node.allocatable(GpuNode.GPU) <= 0);
    try (var pod = node.run(2)) {
      assertThat(pod.gpus()).hasSize(2);
      assertThat(pod.missingForCuda()).isEmpty();
      List<ResourceClaim> made = claims().list().getItems();
      assertThat(made).hasSize(1);
      assertThat(made.getFirst().getMetadata().getAnnotations())
          .containsKey("resource.kubernetes.io/extended-resource-claim");
    }
    await().atMost(LIMIT).until(() -> claims().list().getItems().isEmpty());
  }

  /// The pod keeps its GPU and shows how it is; the scheduler keeps further claims from it. A
  /// reload of the driver, which resets GPUs, undoes all of it.
  @Test
  void unhealthyGpuIsTaintedUntilItIsReset() {
    agent.label(SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> devices().size() == GpuNode.GPUS);
    claim("held", "", "");
    int gpu;
    try (var pod = run("held")) {
      gpu = HealthSigns.of(node, pod).gpu();
      await().atMost(LIMIT).untilAsserted(() -> assertThat(healthOf(pod)).contains("Healthy"));
      long start = System.nanoTime();
      node.gpus().xid(gpu, 95);
      await().atMost(LIMIT).pollInterval(Duration.ofMillis(10)).until(() -> !taints().isEmpty());
      long tainted = System.nanoTime();
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(healthOf(pod)).contains("Unhealthy", "Xid 95"));
      System.out.printf(
          "Xid -> taint %d ms, -> status of the pod %d ms: %s, %s%n",
          (tainted - start) / 1_000_000,
          (System.nanoTime() - start) / 1_000_000,
          taints(),
          healthOf(pod));
    }
    assertThat(taints())
        .containsExactly(
            "gpu-%d gpu.nvidia.com/xid=95:NoSchedule"
                .formatted(node.gpus().gpus().get(gpu).minor()));
    delete("held");
    claim("same", "device.attributes['gpu.nvidia.com'].uuid == '%s'".formatted(uuid(gpu)), "");
    try (var waiting = ProbePod.create(client(), ProbePodSpec.on(node.node()).withClaim("same"))) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(events(waiting)).anyMatch(text -> text.startsWith("FailedScheduling")));
      reloadDriver();
      await().atMost(LIMIT).until(waiting::isRunning);
      assertThat(taints()).isEmpty();
    }
    delete("same");
  }

  private void reloadDriver() {
    node.gpus().unloadDriver();
    node.gpus().loadDriver();
  }

  private String uuid(int gpu) {
    return node.gpus().gpus().get(gpu).uuid();
  }

  /// Of devices, such as `gpu-0 key=value:effect`.
  private List<String> taints() {
    return client().resources(ResourceSlice.class).list().getItems().stream()
        .flatMap(slice -> slice.getSpec().getDevices().stream())
        .flatMap(device ->
            device.getTaints().stream()
                .map(taint ->
                    "%s %s=%s:%s"
                        .formatted(
                            device.getName(), taint.getKey(), taint.getValue(), taint.getEffect())))
        .toList();
  }

  /// As the kubelet writes it into the status of the pod.
  private String healthOf(GpuPod pod) {
    return client()
        .pods()
        .inNamespace("default")
        .withName(pod.pod().name())
        .get()
        .getStatus()
        .getContainerStatuses()
        .stream()
        .flatMap(container -> container.getAllocatedResourcesStatus().stream())
        .flatMap(resource -> resource.getResources().stream())
        .map(health -> health.getHealth() + " " + health.getMessage())
        .toList()
        .toString();
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
                    sharing: {strategy: TimeSlicing, timeSlicingConfig: {interval: Sometimes}}
        """);
    try (var pod = ProbePod.create(client(), ProbePodSpec.on(node.node()).withClaim("bad"))) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(events(pod))
                  .anyMatch(text ->
                      text.contains("FailedPrepareDynamicResources")
                          && text.contains("interval is \"Sometimes\"")));
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

  private void migClaim(String name, String profile) {
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: %s, namespace: default}
        spec:
          devices:
            requests:
              - name: mig
                exactly:
                  deviceClassName: mig.nvidia.com
                  selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].profile == '%s'"}}]
        """
            .formatted(name, profile));
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
