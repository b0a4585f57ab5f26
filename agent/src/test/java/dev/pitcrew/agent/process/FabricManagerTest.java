package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The fabric manager of boards before Hopper, which only the process shows.
@WithControlPlane
class FabricManagerTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// A node that is well is looked at every ten minutes, so an agent that finds it by then was
  /// notified.
  private static final String NOT_RUNNING = "False FabricManagerNotRunning";

  private static final String LOADED = "True DriverLoaded";

  @TempDir private Path folder;
  private final ControlPlane plane;
  private final TestNamespace namespace;
  private RunningAgent agent;
  private TestKubelet kubelet;

  FabricManagerTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.namespace = namespace;
  }

  @BeforeEach
  void prepare() throws IOException {
    agent =
        RunningAgent.prepare(plane, namespace.name(), folder, SimulatedNodeOptions.of("a100-40g"));
    kubelet = TestKubelet.start(agent.kubeletFolder());
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
    kubelet.close();
  }

  @Test
  void itsEndAndItsStartAreSeenByItsFile() throws IOException {
    agent.start();
    await().atMost(LIMIT).until(() -> driverReady().equals(LOADED));
    await()
        .atMost(LIMIT)
        .until(() -> agent.state().validation().filter(it -> it.isSettled()).isPresent());

    agent.gpus().faults().fabricManager(false);
    await().atMost(LIMIT).until(() -> driverReady().equals(NOT_RUNNING));
    assertThat(agent.message("DriverReady")).contains("no process nv-fabricmanager runs");

    agent.gpus().faults().fabricManager(true);
    await().atMost(LIMIT).until(() -> driverReady().equals(LOADED));
  }

  private String driverReady() {
    return agent.condition("DriverReady");
  }
}
