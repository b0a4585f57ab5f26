package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.scenario.facts.RecordedKind;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Nodes, optional kinds and the policy itself come and go while the operator runs.
@WithControlPlane
class ComingAndGoingTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final Duration SOON = Duration.ofSeconds(20);

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.set(controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void serviceMonitorsAreMadeOnceTheirKindIsDefined() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario(SCENARIO));
    scene.install(SCENARIO);
    assertThat(factsOf(RecordedKind.SERVICE_MONITOR)).isEmpty();

    scene.stage().enterInput(Scene.scenario("monitoring"));

    await().atMost(SOON).until(() -> factsOf(RecordedKind.SERVICE_MONITOR).size() == 2);
  }

  private List<String> factsOf(RecordedKind kind) {
    return scene.stage().facts().properties().stream()
        .map(Map.Entry::getKey)
        .filter(name -> name.startsWith(kind.kind() + "/"))
        .toList();
  }

  @Test
  void ofADeletedPolicyNothingStays() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario(SCENARIO));
    scene.install(SCENARIO);
    var objects = new OwnedObjects(scene.client());
    var policy = scene.policy();
    var owned = objects.of(policy);
    assertThat(owned).isNotEmpty();

    policy.delete();

    await()
        .atMost(SOON)
        .until(
            () -> owned.stream().allMatch(object -> scene.client().resource(object).get() == null));
    scene.settle();
    assertThat(scene.client().nodes().withName("gpu-1").get().getMetadata().getLabels().keySet())
        .noneMatch(key -> key.startsWith("nvidia.com/gpu.deploy."));
    assertThat(scene.stage().facts().fieldNames())
        .toIterable()
        .allMatch(name -> name.startsWith("Node/") || name.startsWith("Namespace/"));
  }

  @Test
  void withoutAGpuNodeThereAreNoDaemonSetsAndTheLastOneLeavesThemBehind()
      throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario("no-gpu-nodes"));
    scene.install(SCENARIO);
    assertThat(scene.workloads().versions()).isEmpty();

    scene.stage().enter(Scene.scenario(SCENARIO));
    await().atMost(SOON).until(() -> !scene.workloads().versions().isEmpty());
    scene.policy().awaitReady();
    scene.settle();
    var running = scene.workloads().versions();

    scene.client().nodes().withName("gpu-1").delete();

    scene.settle();
    assertThat(scene.workloads().versions()).isEqualTo(running);
    scene.policy().awaitReady();
  }
}
