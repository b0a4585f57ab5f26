package dev.pitcrew.agent.realnode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.realnode.RealGpuNode.Driver;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.junit.NeedsRealNodes;
import dev.pitcrew.testbed.node.GpuPod;
import dev.pitcrew.testbed.node.ProbePodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/// The agent on a node with the real GPUs of this machine: pods compute on them. It changes no
/// setting of a GPU. `build/tests gpu` runs it; the other tiers leave it out.
// Test budget 180 s: two nodes of its own, and loads of some seconds.
@NeedsRealNodes
@Tag("real-gpu")
@ParameterizedClass
@MethodSource("drivers")
class RealGpuTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String HANDLER = "nvidia";
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": [
         "labels", "devicePlugin", "cdi", "runtime", "validation", "nodeStatus", "metrics", "health"],
       "clusterPolicy": {
         "cdi": {"enabled": true},
         "toolkit": {"enabled": true, "env": [{"name": "NRI_SOCKET", "value": "/run/nri/nri.sock"}]},
         "gfd": {"enabled": true},
         "nodeStatusExporter": {"enabled": true},
         "dcgmExporter": {"enabled": true, "env": [
           {"name": "DCGM_EXPORTER_INTERVAL", "value": "1000"}]},
         "devicePlugin": {
           "enabled": true,
           "config": {"name": "plugin-configs", "default": "plain"},
           "env": [{"name": "NVIDIA_CDI_HOOK_PATH", "value": "%s"}]}}}
      """;

  private static RealGpuNode node;

  private final Driver driver;
  private final AgentOnNode agent;
  private GuardedProcess process;
  private final HttpClient http = HttpClient.newHttpClient();

  static List<Driver> drivers() {
    return Stream.of(Driver.values())
        .filter(driver -> driver == Driver.INSTALLED || RealGpuNode.canMoveDriver())
        .toList();
  }

  @BeforeParameterizedClassInvocation
  static void boot(Driver driver) {
    node = RealGpuNode.boot(driver);
    var handler = new RuntimeClassBuilder().withNewMetadata().withName(HANDLER).endMetadata();
    node.client().resource(handler.withHandler(HANDLER).build()).serverSideApply();
  }

  @AfterParameterizedClassInvocation
  static void powerOff() {
    node.close();
  }

  RealGpuTest(Driver driver) {
    this.driver = driver;
    agent = AgentOnNode.prepare(node);
  }

  @BeforeEach
  void serve() {
    agent.useDocument(DOCUMENT.formatted(JvmOnNode.HOOK));
    agent.deploy("container-toolkit", true);
    agent.deploy("dcgm-exporter", true);
    agent.deploy("operator-validator", true);
    agent.deploy("node-status-exporter", true);
    process = agent.begin("pitcrew-agent");
    awaitServing(1);
  }

  @AfterEach
  void close() {
    agent.close();
    http.close();
  }

  private void awaitServing(int gpus) {
    await("allocatable GPUs")
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(agent.condition("RuntimeReady")).as(agent.lastOutput()).isEqualTo("True");
          assertThat(allocatable()).as(agent.lastOutput()).isEqualTo(gpus);
          assertThat(node.devices().healthy(GpuNode.GPU)).isEqualTo(gpus);
        });
  }

  private int allocatable() {
    var allocatable =
        node.client().nodes().withName(node.node().name()).require().getStatus().getAllocatable();
    return Integer.parseInt(allocatable.getOrDefault(GpuNode.GPU, new Quantity("-1")).getAmount());
  }

  @Test
  void podsOfEachKindCompute() {
    try (var none = node.run(node.pod())) {
      assertThat(none.words())
          .noneMatch(word -> word.startsWith("device "))
          .anyMatch(word -> word.startsWith("no library"));
    }
    try (var pod = node.run(node.pod().withLimit(GpuNode.GPU, 1))) {
      assertComputes(pod);
    }
    try (var pod = node.run(node.pod().withLimit(GpuNode.GPU, 1).withUserNamespace())) {
      assertThat(pod.hasUserNamespace()).as("%s", pod.words()).isTrue();
      assertComputes(pod);
    }
    var named = node.pod().withRuntimeClass(HANDLER).withVariable("NVIDIA_VISIBLE_DEVICES", "all");
    try (var pod = node.run(named)) {
      assertComputes(pod);
    }
    try (var pod = node.run(named.withUserNamespace())) {
      assertThat(pod.hasUserNamespace()).as("%s", pod.words()).isTrue();
      assertComputes(pod);
    }
  }

  @Test
  void theNodeIsReadyAndItsGpuHasComputed() throws IOException {
    await("validation")
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.checks())
                .as(agent.lastOutput())
                .containsEntry("driver", "Passed")
                .containsEntry("toolkit", "Passed")
                .containsEntry("cuda", "Passed")
                .containsEntry("plugin", "Passed"));
    for (String type : List.of("DriverReady", "RuntimeReady", "DevicesAdvertised", "Validated")) {
      assertThat(agent.condition(type)).as(type + agent.lastOutput()).isEqualTo("True");
    }
    record("node");
  }

  @Test
  void anXidOfAProgramIsCountedAndLeavesTheGpuHealthy() throws IOException {
    try (var pod = node.run(node.pod().withLimit(GpuNode.GPU, 1).withVariable("FAULT", "1"))) {
      await("CUDA_ERROR_ILLEGAL_ADDRESS")
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(log(pod)).contains("fault 700"));
      await("the Xid")
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(page())
                  .as(agent.lastOutput())
                  .containsPattern("XID_ERRORS\\{.*} (13|31)\n"));
    }
    record("xid");
    assertThat(node.devices().healthy(GpuNode.GPU)).isEqualTo(1);
    try (var next = node.run(node.pod().withLimit(GpuNode.GPU, 1))) {
      assertComputes(next);
    }
  }

  @Test
  void metricsAreThoseOfThePodThatComputes() throws IOException {
    try (var pod = node.run(loaded(30))) {
      assertComputes(pod);
      String name = pod.pod().current().getMetadata().getName();
      await("a GPU in use")
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> {
            assertThat(value("DCGM_FI_DEV_GPU_UTIL", name)).isGreaterThan(50);
            assertThat(value("DCGM_FI_PROF_GR_ENGINE_ACTIVE", name)).isGreaterThan(0.5);
            assertThat(value("DCGM_FI_DEV_FB_USED", name)).isGreaterThan(100);
          });
      record("load");
      assertThat(agent.condition("DevicesAdvertised")).isEqualTo("True");
    }
  }

  @Test
  void podsThatShareTheGpuComputeAtTheSameTime() throws IOException {
    agent.configure(
        "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n");
    awaitServing(4);
    try (var one = node.run(loaded(15));
        var other = node.run(loaded(15))) {
      assertComputes(one);
      assertComputes(other);
      for (GpuPod pod : List.of(one, other)) {
        String name = pod.pod().current().getMetadata().getName();
        await("the share of " + name)
            .atMost(LIMIT)
            .untilAsserted(() -> {
              assertThat(value("pitcrew_gpu_pod_memory_used_bytes", name)).isGreaterThan(100 << 20);
              assertThat(value("pitcrew_gpu_pod_utilization_estimate_ratio", name))
                  .isBetween(0.2, 0.8);
            });
      }
      record("shared");
    } finally {
      agent.configure("version: v1");
    }
    awaitServing(1);
  }

  @Test
  void aPodComputesOnWhileAgentsReplaceEachOther() {
    try (var pod = node.run(loaded(20))) {
      assertComputes(pod);
      Map<String, Set<String>> held = node.devices().ofPods();
      agent.kill();
      agent.begin("next-agent");
      awaitServing(1);
      assertThat(node.devices().ofPods()).isEqualTo(held);
      await("the end of the load")
          .atMost(LIMIT)
          .untilAsserted(() -> assertThat(log(pod)).contains("load done").doesNotContain("FAILED"));
      assertThat(pod.isRunning()).isTrue();
    }
  }

  private ProbePodSpec loaded(int seconds) {
    return node.pod()
        .withLimit(GpuNode.GPU, 1)
        .withVariable("LOAD_SECONDS", String.valueOf(seconds));
  }

  private static void assertComputes(GpuPod pod) {
    List<String> words = pod.words();
    assertThat(words)
        .contains("gpus 1", "sums right")
        .anyMatch(word -> word.matches("program .*/nvidia-smi"));
    assertThat(pod.missingForCuda()).isEmpty();
    assertThat(pod.gpus()).hasSize(1);
  }

  /// What was seen is left in `target`: the metrics, the GPUNode, the Events and the agent's
  /// memory.
  private void record(String name) throws IOException {
    Path file =
        Files.createDirectories(Path.of("target", "real-gpu"))
            .resolve(driver + "-" + name + ".txt");
    Path status = Path.of("/proc/%d/status".formatted(HandoverTest.java(process).pid()));
    String events = String.join("\n", agent.events());
    Files.writeString(
        file,
        String.join(
            "\n\n",
            page(),
            agent.document(),
            events,
            Files.readString(status),
            agent.lastOutput()));
  }

  private String log(GpuPod pod) {
    return node.client()
        .pods()
        .inNamespace("default")
        .withName(pod.pod().current().getMetadata().getName())
        .getLog();
  }

  /// A counter of the series of a pod; negative where there is none.
  private double value(String counter, String pod) {
    return page()
        .lines()
        .filter(line -> line.startsWith(counter + "{") && line.contains("pod=\"" + pod + "\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .max()
        .orElse(-1);
  }

  /// Empty where there is no exporter.
  private String page() {
    var address = URI.create("http://%s:9400/metrics".formatted(node.node().address()));
    try {
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    } catch (IOException _) {
      return "";
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
