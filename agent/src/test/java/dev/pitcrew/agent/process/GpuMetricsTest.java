package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.testbed.FreePorts;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The GPU metrics of an agent between a real API server and simulated GPUs.
@WithControlPlane
class GpuMetricsTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1",
       "functions": ["labels", "metrics"],
       "clusterPolicy": {
         "gfd": {"enabled": true},
         "dcgmExporter": {"enabled": %s, "env": [
           {"name": "DCGM_EXPORTER_LISTEN", "value": "127.0.0.1:%d"},
           {"name": "DCGM_EXPORTER_INTERVAL", "value": "200"}]}}}
      """;

  private static final String KEY = "dcgm-metrics.csv";

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port = FreePorts.one();
  private RunningAgent agent;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provideDocument(DOCUMENT.formatted("true", port));
    agent.label("nvidia.com/gpu.deploy.dcgm-exporter", "true");
    agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    http.close();
    agent.close();
  }

  @Test
  void gpuMetrics_followTheDriverAndTheFunction() throws Exception {
    agent.start();
    await().atMost(LIMIT).until(() -> page().contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\""));
    assertThat(page()).contains("hostname=\"node-a\"");

    agent.gpus().unloadDriver();
    // The GPUs fall silent a moment before the reason is known.
    await()
        .atMost(LIMIT)
        .until(() -> page().contains("pitcrew_metrics_driver_answers{hostname=\"node-a\"} 0"));
    await().atMost(LIMIT).until(() -> !page().contains("DCGM_FI_DEV_GPU_TEMP{"));

    agent.gpus().loadDriver();
    await().atMost(LIMIT).until(() -> page().contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\""));

    agent.provideDocument(DOCUMENT.formatted("false", port));
    await().atMost(LIMIT).until(() -> page().isEmpty());
  }

  @Test
  void theListOfAConfigMapIsFollowedAndAWrongOneLeavesTheLastInForce() throws Exception {
    agent.provideDocument(
        DOCUMENT
            .formatted("true", port)
            .replace("\"env\":", "\"config\": {\"name\": \"counters\"}, \"env\":"));
    agent.say("counters", Map.of(KEY, "DCGM_FI_DEV_SM_CLOCK, gauge, x\n"));
    agent.start();
    await().atMost(LIMIT).until(() -> page().contains("DCGM_FI_DEV_SM_CLOCK{gpu=\"0\""));
    assertThat(page()).doesNotContain("DCGM_FI_DEV_GPU_TEMP");

    agent.say("counters", Map.of(KEY, "DCGM_FI_DEV_GPU_TEMP, gauge, x\n"));
    await().atMost(LIMIT).until(() -> page().contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\""));
    assertThat(page()).doesNotContain("DCGM_FI_DEV_SM_CLOCK");

    agent.say("counters", Map.of(KEY, "DCGM_FI_DEV_GPU_TEMP, gauge, x\nNONE, gauge, x\n"));
    await()
        .atMost(LIMIT)
        .until(() -> page().contains("pitcrew_metrics_problem{about=\"counters\""));
    assertThat(page()).contains("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"", "key dcgm-metrics.csv:2: 'NONE'");
    await()
        .atMost(LIMIT)
        .until(() ->
            agent.events().stream()
                .anyMatch(
                    event -> event.getNote().contains("key dcgm-metrics.csv line 2 is 'NONE'")));
  }

  @Test
  void labelsAndUidOfThePod_areExportedWhereConfigured(ControlPlane plane, TestNamespace namespace)
      throws Exception {
    agent.provideDocument(
        DOCUMENT
            .formatted("true", port)
            .replace("\"env\":", "\"enablePodLabels\": true, \"enablePodUID\": true, \"env\":"));
    var pod = plane.client().resource(pod(namespace.name())).create();
    var held =
        new TestPodResources.Held(
            namespace.name(),
            "train",
            pod.getMetadata().getUid(),
            agent.gpus().gpus().get(1).uuid());
    try (var _ = TestPodResources.start(agent.gpus().hostRoot(), held)) {
      agent.start();
      await().atMost(LIMIT).until(() -> ofPod().contains("team=\"a\""));
      assertThat(ofPod()).contains("pod_uid=\"%s\"".formatted(pod.getMetadata().getUid()));

      plane
          .client()
          .resource(pod)
          .edit(it ->
              new PodBuilder(it).editMetadata().addToLabels("team", "b").endMetadata().build());
      await().atMost(LIMIT).until(() -> ofPod().contains("team=\"b\""));
    }
  }

  private String ofPod() throws InterruptedException {
    return page()
        .lines()
        .filter(line -> line.startsWith("DCGM_FI_DEV_GPU_TEMP{gpu=\"1\""))
        .filter(line -> line.contains("pod=\"train\""))
        .findFirst()
        .orElse("");
  }

  private static Pod pod(String namespace) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("train")
        .withNamespace(namespace)
        .addToLabels("team", "a")
        .endMetadata()
        .withNewSpec()
        .withNodeName(RunningAgent.NODE)
        .addNewContainer()
        .withName("main")
        .withImage("example.com/train:1")
        .endContainer()
        .endSpec()
        .build();
  }

  /// Empty where no server listens.
  private String page() throws InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(port))).build();
    try {
      return http.send(request, BodyHandlers.ofString()).body();
    } catch (IOException _) {
      return "";
    }
  }
}
