package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.node.GpuPod;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

// Test budget 330 s: six times, GPUs move when the kubelet has updated its Node, which takes
// seconds.
/// The agent as the DRA driver of a real kubelet, with claims that the real scheduler allocates.
@WithGpuNode
class DraOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
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
  private final ClaimsOnNode claims;
  private final MpsSupervisorOnNode supervisor;

  DraOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    claims = new ClaimsOnNode(node, "gpu.nvidia.com");
    supervisor = new MpsSupervisorOnNode(node);
  }

  @BeforeEach
  void serveClaims() {
    claims.deviceClass("gpu.nvidia.com", "gpu", "extendedResourceName: nvidia.com/gpu");
    agent.serveClaims();
    agent.label(ClaimsOnNode.SELECTED, "false");
  }

  @AfterEach
  void close() {
    claims.deleteAll();
    if (!taints().isEmpty()) {
      reloadDriver();
    }
    agent.label(ClaimsOnNode.SELECTED, "false");
    if (!claims.devices().isEmpty()) {
      await().atMost(LIMIT).until(() -> claims.devices().isEmpty());
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
      agent.label(ClaimsOnNode.SELECTED, "true");
      await().atMost(LIMIT).until(() -> claims.devices().size() == GpuNode.GPUS - 1);
      node.awaitAllocatable(GpuNode.GPU, 1);
      System.out.printf("claims serve %s, a pod has %s%n", claims.devices(), old.gpus());
      claim("first", "device.attributes['gpu.nvidia.com'].architecture == 'Ampere'", "");
      try (var pod = claims.run("first")) {
        assertThat(pod.gpus()).hasSize(1).doesNotContainAnyElementsOf(old.gpus());
        assertThat(pod.missingForCuda()).isEmpty();
        assertThat(agent.condition("DevicesAdvertised")).isEqualTo("True");

        // The agent dies and comes back: neither pod nor claim notices.
        agent.kill();
        PluginProcess.awaitRegistered(agent.begin("dra-agent-2"));
        claim("second", "", "");
        try (var other = claims.run("second")) {
          assertThat(other.gpus()).hasSize(1).doesNotContainAnyElementsOf(pod.gpus());
        }

        agent.label(ClaimsOnNode.SELECTED, "false");
        await().atMost(LIMIT).until(() -> claims.devices().isEmpty());
        claims.delete("second");
        node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS - 1);
        assertThat(pod.isRunning()).isTrue();
        assertThat(old.isRunning()).isTrue();
      }
      claims.delete("first");
      node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
      assertThat(old.isRunning()).isTrue();
    }
  }

  /// On an Ampere GPU, whose MIG mode an administrator has switched on.
  @Test
  void migDevicesComeAndGoWithTheirClaims() {
    node.gpus().divide("mode 0 1 1\nmode 1 0 0\n");
    claims.deviceClass("mig.nvidia.com", "mig", "");
    agent.serveClaims("{\"DynamicMIG\": true}");
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("dra-agent");
    await()
        .atMost(LIMIT)
        .until(
            () -> claims.devices().stream().anyMatch(name -> name.startsWith("gpu-0-mig-1g10gb-")));
    System.out.printf("claims serve %d devices%n", claims.devices().size());

    migClaim("small", "1g.10gb");
    migClaim("large", "3g.40gb");
    try (var small = claims.run("small");
        var large = claims.run("large")) {
      assertThat(small.gpus()).containsExactly("/dev/nvidia0");
      assertThat(large.gpus()).containsExactly("/dev/nvidia0");
      assertThat(node.gpus().migDevices()).hasSize(2);
      System.out.println(node.gpus().migDevices());
    }
    claims.delete("small");
    claims.delete("large");
    await().atMost(LIMIT).until(() -> node.gpus().migDevices().isEmpty());
  }

  @Test
  void podsShareTheGpuOfAClaimByMps() {
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> claims.devices().size() == GpuNode.GPUS);
    claim("shared", "", MPS);
    try (var waiting = claims.create("shared")) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(claims.events(waiting))
                  .anyMatch(
                      text -> text.contains("has no pod on this node in which it could run")));
      supervisor.start();
      await().atMost(LIMIT).until(waiting::isRunning);
      try (var other = claims.run("shared")) {
        assertThat(other.gpus()).hasSize(1);
        assertThat(other.pod().variable("CUDA_MPS_PIPE_DIRECTORY")).contains("/tmp/nvidia-mps");
        assertThat(supervisor.daemons()).hasSize(1);
      }
    }
    claims.delete("shared");
    await().atMost(LIMIT).until(() -> supervisor.daemons().isEmpty());
  }

  /// The scheduler makes a claim for a pod that knows nothing of claims (KEP-5004). The kubelet,
  /// whose Topology Manager is `restricted`, still knows the devices of a plugin that was killed.
  @Test
  void podThatAsksForNvidiaGpuGetsAClaimWhereClaimsServeTheNode() {
    PluginProcess.awaitRegistered(agent.begin("device-plugin"));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    agent.kill();
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> claims.devices().size() == GpuNode.GPUS);
    await().atMost(LIMIT).until(() -> node.allocatable(GpuNode.GPU) <= 0);
    try (var pod = node.run(2)) {
      assertThat(pod.gpus()).hasSize(2);
      assertThat(pod.missingForCuda()).isEmpty();
      List<ResourceClaim> made = claims.all();
      assertThat(made).hasSize(1);
      assertThat(made.getFirst().getMetadata().getAnnotations())
          .containsKey("resource.kubernetes.io/extended-resource-claim");
    }
    await().atMost(LIMIT).until(() -> claims.all().isEmpty());
  }

  /// The pod keeps its GPU and shows how it is; the scheduler keeps further claims from it. A
  /// reload of the driver, which resets GPUs, undoes all of it.
  @Test
  void unhealthyGpuIsTaintedUntilItIsReset() {
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> claims.devices().size() == GpuNode.GPUS);
    claim("held", "", "");
    int gpu;
    try (var pod = claims.run("held")) {
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
    claims.delete("held");
    claim("same", "device.attributes['gpu.nvidia.com'].uuid == '%s'".formatted(uuid(gpu)), "");
    try (var waiting = claims.create("same")) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(claims.events(waiting))
                  .anyMatch(text -> text.startsWith("FailedScheduling")));
      reloadDriver();
      await().atMost(LIMIT).until(waiting::isRunning);
      assertThat(taints()).isEmpty();
    }
    claims.delete("same");
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
    return claims.slices().stream()
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
    agent.label(ClaimsOnNode.SELECTED, "true");
    agent.begin("dra-agent");
    await().atMost(LIMIT).until(() -> claims.devices().size() == GpuNode.GPUS);
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
    try (var pod = claims.create("bad")) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(claims.events(pod))
                  .anyMatch(text ->
                      text.contains("FailedPrepareDynamicResources")
                          && text.contains("interval is \"Sometimes\"")));
      claims.events(pod).forEach(System.out::println);
    }
    claim("good", "", "");
    try (var pod = claims.run("good")) {
      assertThat(pod.gpus()).as("the driver goes on").hasSize(1);
    }
  }

  private void migClaim(String name, String profile) {
    claims.claim(
        name,
        "mig.nvidia.com",
        "device.attributes['gpu.nvidia.com'].profile == '%s'".formatted(profile),
        "");
  }

  private void claim(String name, String expression, String more) {
    claims.claim(name, "gpu.nvidia.com", expression, more);
  }

  private KubernetesClient client() {
    return node.client();
  }
}
