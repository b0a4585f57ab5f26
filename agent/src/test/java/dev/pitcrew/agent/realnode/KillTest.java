package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.node.ProbePod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The agent is killed after each kind of effect, and the next one carries on as if nothing had
/// happened: pods keep their GPUs, nobody gets them besides, no label and no GPUNode vanishes, and
/// files are whole.
@WithGpuNode
class KillTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
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
    kills = new Kills(node, agent);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  @Test
  void whateverTheAgentDidLastTheNextOneCarriesOn() throws IOException {
    surviveKillAt(KillPoint.GPU_NODE_IS_CREATED, Map.of());
    node.awaitAllocatable(GpuNode.GPU, GpuNode.GPUS);
    // A kubelet asks for a preference only where a NUMA node has more free GPUs than it takes.
    try (var losses = Losses.watch(node.client(), node.node().name());
        var one = node.run(1);
        var other = node.run(1)) {
      Map<String, Set<String>> before = devices.ofPods();
      assertThat(before).hasSize(2);
      List<KillPoint> rest = new ArrayList<>(Arrays.asList(KillPoint.values()));
      rest.remove(KillPoint.GPU_NODE_IS_CREATED);
      for (KillPoint point : rest) {
        surviveKillAt(point, before);
        assertThat(losses.seen()).as("after %s", point).isEmpty();
      }
      assertThat(one.isRunning() && other.isRunning()).isTrue();
      assertOthersGetOthers(one.gpus(), other.gpus());
      assertThat(losses.labels()).isPositive();
      System.out.printf(
          "%d labels of ours and the GPUNode were watched; none vanished%n", losses.labels());
    }
    kills.assertSurvived(KillPoint.values().length);
    assertEventsAreFew();
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
    System.out.println(events.size() + " Events were told:\n" + String.join("\n", events));
    assertThat(events.stream().filter(event -> !event.startsWith("Gpu")))
        .hasSizeLessThan(KillPoint.values().length);
  }

  private void surviveKillAt(KillPoint point, Map<String, Set<String>> before) throws IOException {
    agent.kill();
    awaitHealthy(0);
    prepare(point);
    Instant began = Instant.now();
    var doomed = kills.begin(point.place());
    Optional<ProbePod> customer = customer(point);
    doomed.awaitEnd();
    awaitRequest(point, began);
    assertFilesAreWhole();
    assertThat(devices.ofPods()).containsAllEntriesOf(before);

    awaitHealthy(0);
    long start = System.nanoTime();
    agent.begin("pitcrew-agent");
    awaitHealthy(GpuNode.GPUS);
    long millis = Kills.millisSince(start);

    kills.survived("%s: all GPUs well %d ms after the new start".formatted(point, millis));
    awaitLabel();
    assertThat(devices.ofPods()).as("after %s", point).containsAllEntriesOf(before);
    assertNobodySharesADevice(point);
    assertFilesAreWhole();
    assertThat(files()).as("after %s", point).isNotEmpty();
    if (point.cause() == KillPoint.Cause.WRONG_CONFIGURATION) {
      awaitToldMistake();
    }
    customer.ifPresent(ProbePod::close);
  }

  private void prepare(KillPoint point) throws IOException {
    switch (point.cause()) {
      case START, NO_GPU_NODE, POD -> {}
      case NO_CDI_FILE -> delete(files());
      case NO_STATE_FILE -> delete(List.of(stateFile()));
      case WRONG_LABEL -> agent.label(LABEL, "0");
      case WRONG_CONFIGURATION -> agent.configure(WRONG);
      case RIGHT_CONFIGURATION -> agent.configure(RIGHT);
    }
  }

  private static void delete(List<Path> files) throws IOException {
    for (Path file : files) {
      Files.deleteIfExists(file); // an agent may be killed before it has written it
    }
  }

  /// That it is corrected is told only of a mistake that was told.
  private void awaitToldMistake() {
    String gpuNode = "/apis/pitcrew.dev/v1alpha1/gpunodes/" + node.node().name();
    await("the mistake in the GPUNode")
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(node.client().raw(gpuNode)).contains("replicas"));
  }

  /// A pod that makes the plugin answer, where it takes one; the kubelet would refuse it while
  /// there is no plugin.
  private Optional<ProbePod> customer(KillPoint point) {
    if (point.cause() != KillPoint.Cause.POD) {
      return Optional.empty();
    }
    awaitHealthy(GpuNode.GPUS);
    return Optional.of(ProbePod.create(node.client(), node.pod(1)));
  }

  /// What the API server did for the agent, by the server's own word.
  private void awaitRequest(KillPoint point, Instant began) {
    point
        .request()
        .ifPresent(wanted ->
            await("the request of " + point)
                .atMost(LIMIT)
                .untilAsserted(() -> assertThat(writesSince(began)).contains(wanted)));
  }

  private List<String> writesSince(Instant began) {
    return node.controlPlane().auditLog().requestsOf(agent.user()).stream()
        .filter(AuditLog.Request::isMutating)
        .filter(request -> request.received().isAfter(began) && request.status() < 300)
        .map(request -> request.verb() + " " + request.resource())
        .toList();
  }

  private void awaitHealthy(int count) {
    await("healthy GPUs")
        .atMost(LIMIT)
        .pollInterval(POLL)
        .untilAsserted(
            () -> assertThat(devices.healthy(GpuNode.GPU)).as(agent.lastWords()).isEqualTo(count));
  }

  private void awaitLabel() {
    await("the label " + LABEL)
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(agent.label(LABEL)).isEqualTo(String.valueOf(GpuNode.GPUS)));
  }

  private void assertNobodySharesADevice(KillPoint point) {
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

  private List<Path> files() throws IOException {
    try (var files = Files.list(node.node().path(SPECIFICATIONS))) {
      return files.toList();
    }
  }

  private Path stateFile() {
    return node.node().path(AgentOnNode.STATE).resolve("settings.json");
  }
}
