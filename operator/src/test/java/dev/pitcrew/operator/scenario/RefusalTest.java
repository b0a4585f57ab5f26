package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An admission policy of the cluster refuses what the operator writes: the ClusterPolicy says so
/// in the API server's words, and what was refused is retried automatically.
@WithControlPlane
class RefusalTest {
  private static final String SCENARIO = "default-one-gpu-node";

  /// Longer than the pause after a refusal.
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
  void aDaemonSetThatIsForbiddenHoldsUpNoOther() throws IOException, InterruptedException {
    try (var _ = AdmissionPolicy.refuseDaemonSet(scene, "nvidia-dcgm-exporter")) {
      scene.start(Launch.PLAIN);
      scene
          .policy()
          .create(Scene.scenario(SCENARIO))
          .awaitError("nvidia-dcgm-exporter", AdmissionPolicy.MESSAGE);
      await()
          .atMost(LIMIT)
          .until(() -> scene.workloads().versions().containsKey("nvidia-mig-manager"));
    }

    scene.policy().awaitState("ready", LIMIT);
    assertThat(scene.workloads().versions()).containsKey("nvidia-dcgm-exporter");
  }

  @Test
  void aNodeWhoseLabelsAreForbiddenIsNamed() throws IOException, InterruptedException {
    try (var _ =
        AdmissionPolicy.refuse(
            scene,
            "",
            "nodes",
            "!('nvidia.com/gpu.deploy.driver' in object.metadata.labels)",
            gpuNode())) {
      scene.start(Launch.PLAIN);
      scene.policy().create(Scene.scenario(SCENARIO)).awaitError("gpu-1", AdmissionPolicy.MESSAGE);
    }

    scene.policy().awaitState("ready", LIMIT);
  }

  private static Node gpuNode() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("probe")
        .addToLabels("nvidia.com/gpu.deploy.driver", "true")
        .endMetadata()
        .build();
  }
}
