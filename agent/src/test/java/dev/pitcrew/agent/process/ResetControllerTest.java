package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// GPUs that need a reset, where FleetPolicy lets the agent make it.
@WithControlPlane
class ResetControllerTest {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final int GPU = 1;
  private static final int OTHER = 2;
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin", "health"],
       "health": {"recoverAfterSeconds": 2, "resetGpus": true},
       "clusterPolicy": {"devicePlugin": {"enabled": true}, "gfd": {"enabled": true}}}
      """;

  private TestNamespace namespace;
  private RunningAgent agent;
  private TestKubelet kubelet;
  private TestPodResources pods;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder) throws Exception {
    this.namespace = namespace;
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provideDocument(DOCUMENT);
    kubelet = agent.startKubelet();
    pods = TestPodResources.start(agent.gpus().hostRoot());
    agent.start();
    await().atMost(LIMIT).until(() -> agent.condition("Healthy").startsWith("True"));
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
    pods.close();
  }

  @Test
  void freeGpu_isResetWhileAllOthersStayOffered() throws Exception {
    try (PluginClient plugin = kubelet.dial(kubelet.nextRegistration().getEndpoint())) {
      PluginClient.Watch watch = plugin.watch();
      agent.gpus().xid(GPU, 95);

      await().atMost(LIMIT).until(() -> reasons().contains("GpuReset"));
      awaitLevel("Healthy");

      assertThat(reasons()).containsSubsequence("GpuResetting", "GpuReset");
      for (var list = watch.poll(); list.isPresent(); list = watch.poll()) {
        assertThat(list.get().getDevicesList())
            .filteredOn(device -> device.getHealth().equals("Healthy"))
            .extracting(device -> device.getID())
            .containsAll(others());
      }
    }
  }

  @Test
  void gpuThatIsHeld_isResetOnceItsHoldersAreGone() throws Exception {
    agent.gpus().simulate("process", text(GPU), "4711", "100");
    agent.gpus().set(GPU, "remap_pending", "1");
    awaitWords("it is in use by process 4711");
    var held =
        new TestPodResources.Held(
            namespace.name(), "trainer", "uid", agent.gpus().gpus().get(GPU).uuid());
    pods.close();
    awaitWords("the kubelet does not report which pods hold it");
    pods = TestPodResources.start(agent.gpus().hostRoot(), held);
    agent.gpus().simulate("process", text(GPU), "4711", "0");
    awaitWords("it is held by pod %s/trainer".formatted(namespace.name()));
    assertThat(agent.gpus().simulate("get", text(GPU), "remap_pending")).contains("1");
    pods.close();
    pods = TestPodResources.start(agent.gpus().hostRoot());
    awaitLevel("Healthy");
  }

  @Test
  void resetThatDoesNotHelp_isReported_andNotRepeatedAtOnce() throws Exception {
    agent.gpus().set(GPU, "nvlinks_down", "3");
    awaitWords("a reset did not help; another is tried at 20");
    assertThat(evidence()).contains("a reset did not help").contains("NVLinks are down");
    agent.stop();

    agent.start();

    await().during(Duration.ofSeconds(3)).atMost(LIMIT).until(() -> resets() == 1);
    awaitWords("a reset did not help; another is tried at 20");
    agent.gpus().set(GPU, "nvlinks_down", "0");
    awaitLevel("Healthy");
    assertThat(evidence()).isEmpty();
  }

  @Test
  void resetThatTheDriverRefuses_isReported_andBlocksNoOther() throws Exception {
    agent.gpus().simulate("fail", "reset", "999", "1");
    agent.gpus().set(GPU, "remap_pending", "1");
    awaitWords("a reset failed: ", "the GPU did not come back", "it is tried again at 20");
    agent.gpus().set(OTHER, "remap_pending", "1");
    await()
        .atMost(LIMIT)
        .until(() -> agent.gpus().simulate("get", text(OTHER), "remap_pending").contains("0"));
    assertThat(reasons()).contains("GpuResetFailed");
    assertThat(level()).isEqualTo("NeedsReset");
  }

  @Test
  void gpuWithMigDevicesThatNoControllerRestores_isLeftToAnAdministrator() throws Exception {
    agent.stop();
    agent.gpus().divide("mode 1 1 1\ngi 1 1 2 0 4\nci 1 1 0 2 0 3\n");
    agent.start();
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(gpu().at("/instances").toString()).contains("3g.40gb"));
    agent.gpus().set(GPU, "remap_pending", "1");
    awaitWords("they would not be created again");
    assertThat(agent.gpus().migDevices()).hasSize(1);
  }

  private void awaitWords(String... words) {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(agent.message("Healthy")).contains(words));
  }

  private void awaitLevel(String level) {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(level()).isEqualTo(level));
  }

  private String level() {
    return gpu().at("/health/level").asText();
  }

  private String evidence() {
    return gpu().at("/health/evidence").toString().replace("[]", "");
  }

  private JsonNode gpu() {
    for (JsonNode gpu : agent.gpuNode().at("/status/gpus")) {
      if (gpu.path("index").asInt(-1) == GPU) {
        return gpu;
      }
    }
    return agent.gpuNode().path("none");
  }

  private long resets() {
    return reasons().stream().filter("GpuReset"::equals).count();
  }

  private List<String> others() {
    return agent.gpus().gpus().stream()
        .filter(gpu -> gpu.index() != GPU)
        .map(SimulatedGpu::uuid)
        .toList();
  }

  /// The Events of the node, as they were emitted.
  private List<String> reasons() {
    String uid = agent.liveNode().getMetadata().getUid();
    return agent.events().stream()
        .filter(event -> uid.equals(event.getRegarding().getUid()))
        .sorted(
            Comparator.comparingLong(
                event -> Long.parseLong(event.getMetadata().getResourceVersion())))
        .map(Event::getReason)
        .toList();
  }

  private static String text(int number) {
    return String.valueOf(number);
  }
}
