package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Others write what the operator writes, as fast as they can.
// Test budget 90 s: what was contested for a while is left alone for half a minute.
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
  void writerOfTheSameObjectsAtTheSameTime_losesInTheEnd()
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

  @Test
  void contestedObject_isWrittenRarely_andItsWriterIsReported()
      throws IOException, InterruptedException {
    scene.start(Launch.PLAIN);
    scene.policy().create(Scene.scenario(SCENARIO)).awaitState("ready", LIMIT);

    Map<String, Integer> writes;
    try (var rivals = Rivals.begin(scene.client())) {
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(scene.policy().messageOf("FieldContested"))
                  .contains(Rivals.DAEMON_SET, "fabric8-kubernetes-client writes fields"));
      var begin = Instant.now();
      rivals.awaitWrites(300, LIMIT);
      writes = scene.writes().since(begin);
    }

    assertThat(writes.getOrDefault("apply:DaemonSet", 0)).isLessThan(10);
    assertThat(writes.getOrDefault("patch:Node", 0)).isLessThan(10);
    assertThat(writes.getOrDefault("status:ClusterPolicy", 0)).isLessThan(30);
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(scene.policy().messageOf("FieldContested")).isEmpty());
    scene.policy().awaitState("ready", LIMIT);
  }

  private Map<String, String> nodeLabels() {
    return scene.client().nodes().withName("gpu-1").get().getMetadata().getLabels();
  }

  private Map<String, String> pluginLabels() {
    return scene.workloads().daemonSet(Rivals.DAEMON_SET).get().getMetadata().getLabels();
  }
}
