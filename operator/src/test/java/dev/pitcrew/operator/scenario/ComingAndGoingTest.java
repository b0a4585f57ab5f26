package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Nodes and the policy itself come and go while the operator runs.
@WithControlPlane
class ComingAndGoingTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final Duration LIMIT = Duration.ofSeconds(60);

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
  void deletedPolicy_leavesNoObject() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario(SCENARIO));
    scene.install(SCENARIO);
    var objects = new OwnedObjects(scene.client());
    var policy = scene.policy();
    var owned = objects.of(policy);
    assertThat(owned).isNotEmpty();

    policy.delete();

    await()
        .atMost(LIMIT)
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
    await().atMost(LIMIT).until(() -> !scene.workloads().versions().isEmpty());
    scene.policy().awaitReady();
    scene.settle();
    var running = scene.workloads().versions();

    scene.client().nodes().withName("gpu-1").delete();

    scene.settle();
    assertThat(scene.workloads().versions()).isEqualTo(running);
    scene.policy().awaitReady();
  }
}
