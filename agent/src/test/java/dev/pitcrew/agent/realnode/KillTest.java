package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.core.names.GpuNodeLabels;
import dev.pitcrew.testbed.junit.Soak;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePod;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The agent is killed after each kind of effect, and the next one carries on as if nothing had
/// happened: pods keep their GPUs, no other pod gets them, no label and no GPUNode vanishes, and
/// files are whole.
@WithGpuNode
class KillTest {
  // Test budget 150 s: each of its 16 kills costs the start of an agent on a real node.
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String LABEL = "nvidia.com/gpu.count";
  private static final String SPECIFICATIONS = "/run/cdi";
  private static final String RIGHT = "version: v1";
  private static final String WRONG =
      """
      version: v1
      sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 0}]}}
      """;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final GpuNode node;
  private final AgentOnNode agent;
  private final PodDevices devices;
  private final Kills kills;

  KillTest(GpuNode node) {
    this.node = node;
    agent = AgentOnNode.prepare(node);
    devices = node.devices();
    kills = new Kills(node, agent, Stream.of(KillPoint.values()).map(KillPoint::place).toList());
  }

  @AfterEach
  void close() {
    agent.close();
  }

  @Test
  void whateverTheAgentDidLastTheNextOneCarriesOn() throws IOException {
    killAtStart(KillPoint.GPU_NODE_IS_CREATED, Map.of());
    recover(KillPoint.GPU_NODE_IS_CREATED, Map.of());
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    // A kubelet asks for a preference only where a NUMA node has more free GPUs than it takes.
    try (var losses = Losses.watch(node.client(), node.node().name());
        var one = node.run(1);
        var other = node.run(1)) {
      Map<String, Set<String>> before = devices.ofPods();
      assertThat(before).hasSize(2);
      surviveKills(before, losses);
      assertThat(one.isRunning() && other.isRunning()).isTrue();
      assertOthersGetOthers(one.gpus(), other.gpus());
      assertThat(losses.labels()).isPositive();
      System.out.printf(
          "%d labels of ours and the GPUNode were watched; none vanished%n", losses.labels());
    }
    kills.assertSurvived(KillPoint.values().length);
    // HealthKillTest has the write of a Node's condition, which agents renew where an earlier test
    // of this node has left one.
    kills.assertNoOtherWrites(
        Stream.concat(
                Stream.of(KillPoint.values()).flatMap(point -> point.request().stream()),
                Stream.of("patch nodes/status"))
            .toList());
    assertEventsAreFew();
  }

  /// An agent that starts after a kill is killed itself, further on in its start; each leaves what
  /// it did to the next. A soak lets an agent recover after each of them.
  private void surviveKills(Map<String, Set<String>> before, Losses losses) throws IOException {
    agent.kill();
    List<KillPoint> starts = points(true);
    for (KillPoint point : starts) {
      killAtStart(point, before);
      if (point == starts.getLast() || Soak.plays("recovery after " + point)) {
        recover(point, before);
      } else {
        kills.survived(point + ": the next agent started");
      }
      assertThat(losses.seen()).as("after %s", point).isEmpty();
    }
    for (KillPoint point : points(false)) {
      surviveKillOfRecovered(point, before);
      assertThat(losses.seen()).as("after %s", point).isEmpty();
    }
  }

  private static List<KillPoint> points(boolean isStart) {
    return Stream.of(KillPoint.values())
        .filter(point -> point != KillPoint.GPU_NODE_IS_CREATED)
        .filter(point -> point.cause().isStart() == isStart)
        .toList();
  }

  private void assertOthersGetOthers(List<String> one, List<String> other) {
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    try (var rest = node.run(GpuNode.GPUS - 2)) {
      assertThat(rest.gpus())
          .hasSize(GpuNode.GPUS - 2)
          .doesNotContainAnyElementsOf(one)
          .doesNotContainAnyElementsOf(other);
    }
  }

  /// A start is no event: each point has two. On a busy machine, a GPU may be late with its answer
  /// at any of them, which is one.
  private void assertEventsAreFew() {
    List<String> events = agent.events();
    System.out.println(events.size() + " Events were emitted:\n" + String.join("\n", events));
    assertThat(events.stream().filter(event -> !event.startsWith("Gpu")))
        .hasSizeLessThan(KillPoint.values().length);
  }

  private void killAtStart(KillPoint point, Map<String, Set<String>> before) throws IOException {
    agent.kill();
    prepare(point);
    Instant began = Instant.now();
    kills.begin(point.place()).awaitEnd();
    assertLeftWhole(point, began, before);
  }

  private void surviveKillOfRecovered(KillPoint point, Map<String, Set<String>> before)
      throws IOException {
    Instant began = Instant.now();
    var doomed = kills.arm(point.place());
    prepare(point);
    Optional<ProbePod> customer = customer(point);
    doomed.awaitEnd();
    assertLeftWhole(point, began, before);
    customer.ifPresent(pod -> assertRunsOrIsRefused(point, pod));
    recover(point, before);
    customer.ifPresent(ProbePod::close);
  }

  private void assertLeftWhole(KillPoint point, Instant began, Map<String, Set<String>> before)
      throws IOException {
    awaitRequest(point, began);
    assertFilesAreWhole();
    if (point != KillPoint.GPU_NODE_IS_CREATED) { // the first agent may not have come to them
      assertThat(hasCdiFile())
          .as("CDI files after %s", point)
          .isEqualTo(point != KillPoint.CDI_FILE_IS_WRITTEN_UNDER_ANOTHER_NAME);
    }
    assertThat(devices.ofPods()).as("after %s", point).containsAllEntriesOf(before);
    if (point.cause() == KillPoint.Cause.WRONG_LABEL) {
      assertThat(agent.label(LABEL)).isEqualTo(String.valueOf(GpuNode.GPUS));
    }
    if (point.cause() == KillPoint.Cause.WRONG_GPU_NODE_LABEL) {
      assertThat(agent.gpuNodeLabel(GpuNodeLabels.READY)).isIn("true", "false");
    }
  }

  private void recover(KillPoint point, Map<String, Set<String>> before) throws IOException {
    awaitHealthy(0);
    long start = System.nanoTime();
    kills.begin();
    awaitHealthy(GpuNode.GPUS);
    long millis = Kills.millisSince(start);

    kills.survived("%s: all GPUs well %d ms after the new start".formatted(point, millis));
    awaitLabel();
    assertThat(devices.ofPods()).as("after %s", point).containsAllEntriesOf(before);
    assertNoDeviceIsShared(point);
    assertFilesAreWhole();
    assertThat(hasCdiFile()).as("CDI files after %s", point).isTrue();
    assertThat(stateFile()).as("after %s", point).exists();
    if (point.cause() == KillPoint.Cause.WRONG_CONFIGURATION) {
      awaitReportedMistake();
    }
  }

  private void prepare(KillPoint point) throws IOException {
    switch (point.cause()) {
      case START, NO_GPU_NODE, POD -> {}
      case NO_CDI_FILE -> delete(files());
      case NO_STATE_FILE -> delete(List.of(stateFile()));
      case WRONG_LABEL -> agent.label(LABEL, "0");
      case WRONG_GPU_NODE_LABEL -> agent.labelGpuNode(GpuNodeLabels.READY, "unknown");
      case WRONG_CONFIGURATION -> agent.configure(WRONG);
      case RIGHT_CONFIGURATION -> agent.configure(RIGHT);
    }
  }

  private static void delete(List<Path> files) throws IOException {
    for (Path file : files) {
      Files.deleteIfExists(file); // an agent may be killed before it has written it
    }
  }

  /// A correction is reported only after the mistake was reported.
  private void awaitReportedMistake() {
    String gpuNode = "/apis/pitcrew.dev/v1alpha1/gpunodes/" + node.node().name();
    await("the mistake in the GPUNode")
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(node.client().raw(gpuNode)).contains("replicas"));
  }

  /// A pod that makes the plugin answer, where it takes one; the kubelet would refuse it while
  /// there is no plugin.
  private Optional<ProbePod> customer(KillPoint point) {
    return point.cause() == KillPoint.Cause.POD
        ? Optional.of(ProbePod.create(node.client(), node.pod(1)))
        : Optional.empty();
  }

  /// A plugin that dies with its answer either has sent it, and the pod runs with a device of its
  /// own, or has not: the kubelet refuses the pod, takes no device for it, and a controller makes
  /// the next one.
  private void assertRunsOrIsRefused(KillPoint point, ProbePod customer) {
    Pod pod = customer.await(it -> isRefused(it) || ProbePod.isRunning(it)).current();
    Set<String> own = devices.ofPods().getOrDefault(customer.name(), Set.of());
    if (isRefused(pod)) {
      assertThat(pod.getStatus().getReason()).as("%s", point).isEqualTo("UnexpectedAdmissionError");
      assertThat(own).as("after %s", point).isEmpty();
    } else {
      assertThat(own).as("after %s", point).hasSize(1);
      assertThat(new GpuPod(customer).gpus()).as("after %s", point).hasSize(1);
    }
    System.out.printf("%s: the pod %s%n", point, isRefused(pod) ? "is refused" : "runs");
  }

  private static boolean isRefused(Pod pod) {
    return "Failed".equals(pod.getStatus().getPhase());
  }

  /// What the API server did for the agent, by the server's own word.
  private void awaitRequest(KillPoint point, Instant began) {
    point
        .request()
        .ifPresent(wanted ->
            await("the request of " + point)
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(kills.writesSince(began)).contains(wanted)));
  }

  private void awaitHealthy(int count) {
    await("healthy GPUs")
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(devices.healthy(GpuNode.GPU)).as(agent.lastOutput()).isEqualTo(count));
  }

  private void awaitLabel() {
    await("the label " + LABEL)
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(agent.label(LABEL)).isEqualTo(String.valueOf(GpuNode.GPUS)));
  }

  private void assertNoDeviceIsShared(KillPoint point) {
    List<String> all = devices.ofPods().values().stream().flatMap(Set::stream).toList();
    assertThat(all).as("after %s", point).doesNotHaveDuplicates();
  }

  private void assertFilesAreWhole() throws IOException {
    for (Path file : files()) {
      if (file.toString().endsWith(".json")) {
        assertThat(MAPPER.readTree(file.toFile()).path("devices")).as(file.toString()).isNotEmpty();
      }
    }
    if (Files.exists(stateFile())) {
      assertThat(MAPPER.readTree(stateFile().toFile()).isObject()).isTrue();
    }
  }

  private boolean hasCdiFile() throws IOException {
    return files().stream().anyMatch(file -> file.toString().endsWith(".json"));
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(node.node().path(SPECIFICATIONS))) {
      return files.toList();
    }
  }

  private Path stateFile() {
    return node.node().path(AgentOnNode.STATE).resolve("settings.json");
  }
}
