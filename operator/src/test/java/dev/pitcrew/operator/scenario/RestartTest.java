package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// An operator that starts again finds everything as it should be, and removes nothing while it
/// does not know the cluster yet.
@WithControlPlane
class RestartTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;

  RestartTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @ParameterizedTest
  @ValueSource(strings = {"monitoring", "precompiled-two-kernels"})
  void nothingIsRemoved(String scenario) throws IOException, InterruptedException {
    try (var scene = Scene.running(scenario, controlPlane)) {
      assertThat(removedByRestart(scene)).isEmpty();
    }
  }

  @Test
  void driversOfCoreOsReleasesStay() throws IOException, InterruptedException {
    try (var scene = Scene.of(SCENARIO, controlPlane);
        var openShift = OpenShift.installed(scene.client())) {
      openShift.release("gpu-1", "416.94.202405");
      scene.start(Launch.PLAIN);
      scene.policy().create(Scene.scenario(SCENARIO));
      await()
          .atMost(LIMIT)
          .until(() ->
              scene.workloads().versions().containsKey("nvidia-driver-daemonset-416.94.202405"));
      scene.settle();

      assertThat(removedByRestart(scene)).isEmpty();
      assertThat(scene.workloads().versions()).doesNotContainKey("nvidia-driver-daemonset");
    }
  }

  /// Kills the operator, starts another and waits until it has done what it does.
  private static Map<String, Integer> removedByRestart(Scene scene)
      throws IOException, InterruptedException {
    scene.stopOperators();
    var restart = Instant.now();
    scene.start(Launch.PLAIN);
    scene.settle();
    var writes = scene.writes().since(restart);
    writes.keySet().removeIf(sort -> !sort.startsWith("delete:"));
    return writes;
  }
}
