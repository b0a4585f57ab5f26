package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.gpu.HealthStore;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What speaks against a GPU, after the agent that saw it has ended.
@WithControlPlane
class HealthStoreTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /// Longer than any first look at the GPUs takes.
  private static final Duration WHILE = Duration.ofSeconds(3);

  private RunningAgent agent;

  @BeforeEach
  void startWithAUnhealthyGpu(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws Exception {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.startKubelet();
    agent.start();
    awaitReady();
    agent.gpus().xid(2, 79);
    awaitUnhealthy("Xid 79");
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void restart_healsNoGpu_andWritesNothing() throws Exception {
    await().atMost(LIMIT).until(() -> memory().contains("\"number\":79"));
    agent.stop();
    var written = Files.getLastModifiedTime(file());
    String status = agent.gpuNode().at("/status").toString();

    agent.start();

    await().during(WHILE).atMost(LIMIT).until(() -> status().equals(status));
    assertThat(Files.getLastModifiedTime(file())).isEqualTo(written);
  }

  @Test
  void aGpuThatWasLostIsMissedByTheNextAgentUntilItAnswers() throws Exception {
    agent.gpus().lose(1);
    awaitUnhealthy("lost");
    await().atMost(LIMIT).until(() -> memory().contains("\"lost\":[\"GPU-"));
    agent.stop();
    String status = status();

    agent.start();
    await().during(WHILE).atMost(LIMIT).until(() -> status().equals(status));
    assertThat(agent.gpuNode().at("/status/gpus")).hasSize(4);

    agent.gpus().restore(1);
    await().atMost(LIMIT).until(() -> !agent.message("Healthy").contains("lost"));
    assertThat(agent.message("Healthy")).contains("Xid 79");
  }

  @Test
  void driverThatWasReloadedMeanwhile_hasResetAllGpus() throws Exception {
    agent.stop();
    agent.gpus().unloadDriver();
    agent.gpus().loadDriver();

    agent.start();
    awaitReady();
  }

  @Test
  void reboot_hasResetAllGpus() throws Exception {
    agent.stop();
    agent.gpus().reboot();

    agent.start();
    awaitReady();
  }

  @Test
  void pause_healsNoGpu_unlessTheStoreIsDeleted() throws Exception {
    pause();
    resume();
    awaitUnhealthy("Xid 79");

    pause();
    Files.delete(file());
    agent.label(PLUGIN, "true");
    awaitReady();
  }

  @Test
  void garbageIsDroppedAndReplaced() throws Exception {
    agent.stop();
    Files.writeString(file(), "{\"version\": 1, \"bootId\": \"" + agent.bootId() + "\", \"gpus\":");

    agent.start();
    awaitReady();
    await().atMost(LIMIT).until(() -> memory().contains("\"xids\":[]"));
  }

  private void pause() {
    agent.label(PLUGIN, "paused-for-repair");
    await().atMost(LIMIT).until(() -> agent.message("DriverReady").contains("NVML is closed"));
  }

  /// What was said before the pause holds until the driver is open again.
  private void resume() {
    agent.label(PLUGIN, "true");
    await().atMost(LIMIT).until(() -> agent.condition("DriverReady").startsWith("True"));
  }

  private void awaitUnhealthy(String words) {
    await()
        .atMost(LIMIT)
        .until(() ->
            agent.condition("Healthy").startsWith("False")
                && agent.message("Healthy").contains(words));
  }

  private void awaitReady() {
    await().atMost(LIMIT).until(() -> agent.condition("Ready"), "True Ready"::equals);
  }

  private String status() {
    return agent.gpuNode().at("/status").toString();
  }

  private Path file() {
    return agent.stateFolder().resolve(HealthStore.FILE);
  }

  private String memory() throws IOException {
    return Files.exists(file()) ? Files.readString(file()) : "";
  }
}
