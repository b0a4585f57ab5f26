package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One GPU of an NVSwitch board does not join the NVLink fabric.
@WithControlPlane
class FabricTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int GPU = 2;
  private static final String PROGRESS = "in progress";
  private static final String DOCUMENT =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1",
       "functions": ["labels", "devicePlugin", "validation"],
       "clusterPolicy": {
         "devicePlugin": {"enabled": true}, "gfd": {"enabled": true},
         "validator": {"cuda": {"env": [{"name": "WITH_WORKLOAD", "value": "true"}]}}}}
      """;

  private RunningAgent agent;
  private TestKubelet kubelet;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provideDocument(DOCUMENT);
    agent.label("nvidia.com/gpu.deploy.operator-validator", "true");
    kubelet = agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void gpuWithoutFabric_isNamedAndWithdrawn_whileTheOthersServe() throws Exception {
    agent.gpus().set(GPU, "fabric_state", "2");
    agent.start();

    try (PluginClient plugin = kubelet.dial(kubelet.nextRegistration().getEndpoint())) {
      assertThat(health(plugin.watch()))
          .hasSize(4)
          .containsEntry(uuid(), "Unhealthy")
          .containsValue("Healthy");
      await().atMost(LIMIT).until(() -> agent.condition("DriverReady").equals("True DriverLoaded"));
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            assertThat(agent.condition("Healthy")).isEqualTo("False GpuUnhealthy");
            assertThat(agent.message("Healthy"))
                .contains(uuid(), PROGRESS, "/var/log/fabricmanager.log");
            assertThat(health(GPU).at("/evidence/0").asText()).contains("NVLink", PROGRESS);
            assertThat(health(0).path("level").asText()).isEqualTo("Healthy");
            assertThat(agent.events())
                .anyMatch(event ->
                    event.getReason().equals("GpuUnhealthy") && event.getNote().contains(PROGRESS));
          });
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            var verdict = agent.state().cuda().orElseThrow();
            assertThat(verdict.hasFailed()).isFalse();
            assertThat(verdict.waiting()).isZero();
            assertThat(verdict.message()).contains("not checked: GPU 2", PROGRESS);
          });
    }

    agent.gpus().set(GPU, "fabric_state", "3");
    await().atMost(LIMIT).until(() -> agent.condition("Healthy").equals("True GpusHealthy"));
    await()
        .atMost(LIMIT.multipliedBy(2))
        .until(() -> agent.state().cuda().filter(it -> it.isProved()).isPresent());
  }

  @Test
  void whereNoneHasJoinedItIsTheNodeThatIsNotReady() throws Exception {
    for (int gpu = 0; gpu < 4; gpu++) {
      agent.gpus().set(gpu, "fabric_state", "2");
    }
    agent.start();

    await()
        .atMost(LIMIT)
        .until(() -> agent.condition("DriverReady").equals("False FabricNotReady"));
    assertThat(agent.message("DriverReady")).contains("nv-fabricmanager");
    assertThat(health(GPU).path("level").asText()).isEqualTo("Healthy");
  }

  private static Map<String, String> health(PluginClient.Watch watch) throws Exception {
    var health = new TreeMap<String, String>();
    watch.next().getDevicesList().forEach(it -> health.put(it.getID(), it.getHealth()));
    return health;
  }

  private JsonNode health(int index) {
    for (JsonNode gpu : agent.gpuNode().at("/status/gpus")) {
      if (gpu.path("index").asInt(-1) == index) {
        return gpu.path("health");
      }
    }
    throw new AssertionError("no GPU " + index);
  }

  private String uuid() {
    return agent.gpus().gpus().get(GPU).uuid();
  }
}
