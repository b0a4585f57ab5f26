package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Others write what the operator writes, as fast as they can.
@WithControlPlane
class ConflictTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void whoeverWritesTheSameObjectsAtTheSameTimeLosesInTheEnd()
      throws IOException, InterruptedException {
    scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario(SCENARIO)).awaitState("ready", LIMIT);
    scene.settle();
    var labels = nodeLabels();
    var plugin = pluginLabels();

    try (var rivals = Rivals.begin(scene.client())) {
      scene.policy().edit("{\"dcgmExporter\":{\"enabled\":false}}");
      rivals.awaitWrites(100, LIMIT);
    }

    await()
        .atMost(LIMIT)
        .until(() -> !scene.workloads().versions().containsKey("nvidia-dcgm-exporter"));
    scene.policy().awaitState("ready", LIMIT);
    await().atMost(LIMIT).untilAsserted(() -> assertThat(nodeLabels()).isEqualTo(labels));
    await().atMost(LIMIT).untilAsserted(() -> assertThat(pluginLabels()).isEqualTo(plugin));
    scene.settle();
    assertThat(scene.policy().state()).isEqualTo("ready");
  }

  private Map<String, String> nodeLabels() {
    return scene.client().nodes().withName("gpu-1").get().getMetadata().getLabels();
  }

  private Map<String, String> pluginLabels() {
    return scene.workloads().daemonSet(Rivals.DAEMON_SET).get().getMetadata().getLabels();
  }
}
