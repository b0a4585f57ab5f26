package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A driver manager has paused operands and was killed: the next one ends the pause, and the
/// operator does where none comes any more.
class LeftPauseTest extends SharedSceneTest {
  private static final String NODE = "gpu-1";
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String DCGM = "nvidia.com/gpu.deploy.dcgm";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @Override
  void enter() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario("default-one-gpu-node"));
    scene.serve("default-one-gpu-node");
  }

  @BeforeEach
  void pauseOperands() throws InterruptedException {
    pause();
    scene.settle();
    assertThat(labels()).as("a driver is wanted").containsEntry(PLUGIN, PAUSED);
  }

  @Override
  void undo() {
    setLabel(DCGM, "null");
    setLabel("nvidia.com/gpu.deploy.driver", "null");
    client.pods().inNamespace(Scene.NAMESPACE).withName("another").withGracePeriod(0).delete();
  }

  @Test
  void aPauseOfTheLastManagerIsEndedOnceItsPodHasGone() throws InterruptedException {
    Pod manager = scene.client().resource(pod("manager", "k8s-driver-manager")).create();
    scene.policy().edit("{\"driver\": {\"enabled\": false}}");
    await("no driver is wanted").atMost(LIMIT).until(() -> !isDriverWanted());
    scene.settle();
    assertThat(labels()).as("its pod is still there").containsEntry(PLUGIN, PAUSED);

    scene.client().resource(manager).withGracePeriod(0).delete();
    awaitWherePodsEnd(
        () -> assertThat(labels()).containsEntry(PLUGIN, "true").containsEntry(DCGM, "custom"));
  }

  @Test
  void pauseOnANodeWithADriverOfTheHost_isEndedByTheOperatorAlone() {
    scene.client().resource(pod("another", "another")).create();
    label("nvidia.com/gpu.deploy.driver", "pre-installed");

    awaitWherePodsEnd(
        () -> assertThat(labels()).containsEntry(PLUGIN, "true").containsEntry(DCGM, "custom"));
  }

  @Test
  void deletedPolicy_leavesNoPause() {
    scene.policy().delete();

    awaitWherePodsEnd(
        () -> assertThat(labels()).doesNotContainKey(PLUGIN).containsEntry(DCGM, "custom"));
  }

  private void pause() {
    label(PLUGIN, PAUSED);
    label(DCGM, "custom_" + PAUSED);
  }

  private void label(String key, String value) {
    setLabel(key, "\"" + value + "\"");
  }

  private void setLabel(String key, String json) {
    client
        .nodes()
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"labels\": {\"%s\": %s}}}".formatted(key, json));
  }

  private Map<String, String> labels() {
    return scene.client().nodes().withName(NODE).require().getMetadata().getLabels();
  }

  private boolean isDriverWanted() {
    return scene.workloads().versions().containsKey("nvidia-driver-daemonset");
  }

  /// There is no kubelet that would end them.
  private void awaitWherePodsEnd(ThrowingRunnable is) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          scene.client().pods().inNamespace(Scene.NAMESPACE).list().getItems().stream()
              .filter(pod -> pod.getMetadata().getDeletionTimestamp() != null)
              .forEach(pod -> scene.client().resource(pod).withGracePeriod(0).delete());
          is.run();
        });
  }

  private static Pod pod(String name, String firstContainer) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(Scene.NAMESPACE)
        .endMetadata()
        .withNewSpec()
        .withNodeName(NODE)
        .addNewInitContainer()
        .withName(firstContainer)
        .withImage("example.com/none")
        .endInitContainer()
        .addNewContainer()
        .withName("main")
        .withImage("example.com/none")
        .endContainer()
        .endSpec()
        .build();
  }
}
