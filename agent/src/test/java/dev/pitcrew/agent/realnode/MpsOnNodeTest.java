package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Sharing by MPS: the agent, the supervisor of the control daemons and a kubelet on one node.
@WithGpuNode
class MpsOnNodeTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int REPLICAS = 4;
  private static final int ALL = GpuNode.GPUS * REPLICAS;
  private static final int GPU_MIB = 81920;
  private static final String RENAMED = "nvidia.com/gpu.shared";

  private final GpuNode node;
  private final AgentOnNode agent;
  private final MpsSupervisorOnNode supervisor;

  MpsOnNodeTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    supervisor = new MpsSupervisorOnNode(node);
  }

  @BeforeEach
  void share() {
    agent.configure(sharing("", REPLICAS));
  }

  @AfterEach
  void close() {
    supervisor.close();
    agent.close();
  }

  @Test
  void devicesWaitForTheirDaemonWhichHasTheLimitsOfTheConfiguration() {
    agent.begin("pitcrew-agent");
    awaitReason("MPSNotRunning");
    node.awaitAllocatable(GpuNode.GPU, 0);
    assertThat(advertised()).contains("no pod runs the MPS control daemons on this node");

    supervisor.start();
    node.awaitAllocatable(GpuNode.GPU, ALL);
    awaitSent(GpuNode.GPU, limits(REPLICAS));
    assertThat(computeModes()).containsOnly("3");
    awaitReason("DevicesAdvertised");
    assertThat(agent.label("nvidia.com/mps.capable")).isEqualTo("true");
    assertThat(agent.label("nvidia.com/gpu.sharing-strategy")).isEqualTo("mps");

    try (var one = node.run(1);
        var other = node.run(1)) {
      assertThat(one.pod().variable("CUDA_MPS_PIPE_DIRECTORY"))
          .contains("/mps/nvidia.com/gpu/pipe");
      assertThat(other.gpus()).hasSize(1).doesNotContainAnyElementsOf(one.gpus());
    }
  }

  @Test
  void aDaemonThatDiesTakesItsDevicesAlongUntilItIsBack() {
    beginBoth();
    List<Long> first = supervisor.daemons();

    supervisor.killDaemons();
    awaitEvent("MPSNotRunning", "ended by signal 9");
    // The Node may not have shown yet that the devices were gone.
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(supervisor.daemons()).hasSize(1).doesNotContainAnyElementsOf(first));
    awaitReason("DevicesAdvertised");
    node.awaitAllocatable(GpuNode.GPU, ALL);
    awaitSent(GpuNode.GPU, limits(REPLICAS));
  }

  @Test
  void noDaemonNoticesThatTheAgentIsKilledAndComesBack() {
    beginBoth();
    List<Long> before = supervisor.daemons();
    try (var pod = node.run(1)) {
      List<String> events = mpsEvents();
      agent.kill();
      PluginProcess.awaitRegistered(agent.begin("pitcrew-agent-2"));
      node.awaitAllocatable(GpuNode.GPU, ALL);

      assertThat(pod.isRunning()).isTrue();
      assertThat(supervisor.daemons()).isEqualTo(before);
      assertThat(mpsEvents()).isEqualTo(events);
    }
  }

  private List<String> mpsEvents() {
    return agent.events().stream().filter(event -> event.startsWith("MPSNotRunning")).toList();
  }

  @Test
  void aKilledSupervisorIsNoticedAtOnceAndTheNextOneGoesOn() {
    beginBoth();

    supervisor.kill();
    awaitReason("MPSNotRunning");
    assertThat(advertised()).contains("no pod runs the MPS control daemons on this node");
    node.awaitAllocatable(GpuNode.GPU, 0);
    await().atMost(LIMIT).until(() -> supervisor.daemons().isEmpty());

    supervisor.start();
    node.awaitAllocatable(GpuNode.GPU, ALL);
    assertThat(supervisor.daemons()).hasSize(1);
  }

  @Test
  void otherLimitsAnotherNameAndNoSharingAreFollowedWithoutARestartOfTheAgent() {
    beginBoth();

    agent.configure(sharing("", 2));
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS * 2);
    awaitSent(GpuNode.GPU, limits(2));

    agent.configure(sharing("renameByDefault: true, ", 2));
    node.awaitAllocatable(RENAMED, GpuNode.GPUS * 2);
    node.awaitAllocatable(GpuNode.GPU, 0);
    awaitSent(RENAMED, limits(2));
    await().atMost(LIMIT).until(() -> supervisor.started(GpuNode.GPU).isEmpty());

    agent.configure("version: v1");
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    await().atMost(LIMIT).until(() -> supervisor.daemons().isEmpty());
    await().atMost(LIMIT).untilAsserted(() -> assertThat(computeModes()).containsOnly("0"));
  }

  @Test
  void moreClientsThanAnyGpuTakesKeepWhatRuns() {
    beginBoth();
    List<Long> before = supervisor.daemons();

    agent.configure(sharing("", 49));
    awaitReason("ConfigurationInvalid");

    assertThat(advertised())
        .contains("sharing.mps.resources[0].replicas is '49'", "give 48 or fewer");
    assertThat(node.allocatable(GpuNode.GPU)).isEqualTo(ALL);
    assertThat(supervisor.daemons()).isEqualTo(before);
  }

  /// The kubelet remembers the devices of the test before, the GPUNode does not.
  private void beginBoth() {
    agent.begin("pitcrew-agent");
    awaitReason("MPSNotRunning");
    supervisor.start();
    awaitReason("DevicesAdvertised");
    node.awaitAllocatable(GpuNode.GPU, ALL);
  }

  private static String sharing(String more, int replicas) {
    return "version: v1\nsharing:\n  mps: {%sresources: [{name: nvidia.com/gpu, replicas: %d}]}\n"
        .formatted(more, replicas);
  }

  private static List<String> limits(int replicas) {
    return Stream.concat(
            IntStream.range(0, GpuNode.GPUS)
                .boxed()
                .flatMap(gpu ->
                    Stream.of(
                        "set_default_device_pinned_mem_limit %d %dM"
                            .formatted(gpu, GPU_MIB / replicas),
                        "get_default_device_pinned_mem_limit " + gpu)),
            Stream.of("set_default_active_thread_percentage " + 100 / replicas))
        .toList();
  }

  private List<String> computeModes() {
    return IntStream.range(0, GpuNode.GPUS)
        .mapToObj(gpu -> node.gpus().simulate("get", String.valueOf(gpu)))
        .map(readings ->
            readings
                .lines()
                .filter(line -> line.startsWith("compute_mode"))
                .findFirst()
                .orElse("")
                .replaceAll("\\D", ""))
        .toList();
  }

  private void awaitSent(String resource, List<String> limits) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(supervisor.limits(resource)).containsExactlyElementsOf(limits));
  }

  private void awaitReason(String reason) {
    await(reason)
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(advertised()).as(agent.lastOutput()).contains("reason=" + reason));
  }

  /// An Event about GPUs that is seen even where its cause has passed.
  private void awaitEvent(String reason, String text) {
    await(reason)
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.events())
                .anyMatch(event -> event.contains(reason) && event.contains(text)));
  }

  /// Reason and message of the condition.
  private String advertised() {
    var live =
        node.client()
            .genericKubernetesResources(AgentOnNode.GPU_NODES)
            .withName(node.node().name())
            .get();
    return live == null ? "" : conditions(live.getAdditionalProperties().get("status"));
  }

  private static String conditions(Object status) {
    return status instanceof java.util.Map<?, ?> map
            && map.get("conditions") instanceof List<?> conditions
        ? conditions.stream()
            .map(String::valueOf)
            .filter(text -> text.contains("type=DevicesAdvertised"))
            .findFirst()
            .orElse("")
        : "";
  }
}
