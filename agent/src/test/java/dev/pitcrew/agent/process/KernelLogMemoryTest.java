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

/// Lines of the kernel log from times at which the agent did not read it.
@WithControlPlane
class KernelLogMemoryTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String FATAL =
      "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up";
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private RunningAgent agent;

  @BeforeEach
  void start(ControlPlane plane, TestNamespace namespace, @TempDir Path folder) throws Exception {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    logXid(0);
    agent.startKubelet();
    agent.start();
    awaitHealthy("nothing speaks against 4 GPUs");
    await().atMost(LIMIT).until(() -> memory().contains("\"kernelLog\":"));
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void recordWrittenWhileNoAgentRuns_counts() throws Exception {
    agent.stop();
    logXid(1);
    agent.gpus().kernelLog().driver(FATAL);
    agent.start();

    awaitHealthy("Xid 79");
    assertThat(healthy()).contains("GPU 1 (").doesNotContain("GPU 0 (");
    awaitHealthy("NVSwitch 0000:c1:00.0 reported SXid 20034 (fatal: Link 30 LTSSM Fault Up)");
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(memory()).contains("\"kernelLog\":3,", "\"number\":20034"));
  }

  @Test
  void recordWrittenInAPause_doesNotCount() throws Exception {
    pause();
    logXid(1);
    agent.stop();
    agent.start();
    agent.label(PLUGIN, "true");
    awaitHealthy("nothing speaks against 4 GPUs");
    logXid(2);

    awaitHealthy("Xid 79");
    assertThat(healthy()).contains("GPU 2 (").doesNotContain("GPU 1 (");
  }

  private void logXid(int gpu) {
    agent.gpus().kernelLog().xid(agent.gpus().gpus().get(gpu), 79);
  }

  private void pause() {
    agent.label(PLUGIN, "paused-for-repair");
    await().atMost(LIMIT).until(() -> agent.message("DriverReady").contains("NVML is closed"));
  }

  private void awaitHealthy(String words) {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(healthy()).contains(words));
  }

  private String healthy() {
    return agent.message("Healthy");
  }

  private String memory() throws IOException {
    Path file = agent.stateFolder().resolve(HealthStore.FILE);
    return Files.exists(file) ? Files.readString(file) : "";
  }
}
