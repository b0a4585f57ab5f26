package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.api.node.DriverRelease;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A program requests a pause of the driver, and unloads it as soon as the agent allows it. The
/// simulated driver refuses that while any process uses it.
@WithControlPlane
class PauseRequestTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String UPGRADE = "paused-for-driver-upgrade";
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration WHILE = Duration.ofSeconds(3);

  private RunningAgent agent;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void pausingProgram_mayUnloadTheDriverOnceTheReleaseFileAnswers() throws Exception {
    agent.start();
    awaitReady();
    assertThatThrownBy(this::unload).isInstanceOf(TestbedException.class);

    String version = pause();
    awaitAnswer(version);
    unload();

    assertThat(agent.release().read().orElseThrow().paused()).isEqualTo(Map.of(PLUGIN, UPGRADE));
    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(agent.message("DriverReady"))
                .contains(PLUGIN + "=" + UPGRADE, "set by ", "NVML is closed"));
    agent.gpus().loadDriver();
    agent.label(PLUGIN, "true");
    awaitReady();
    assertThat(agent.release().read()).isEmpty();
  }

  @Test
  void agentWithoutAnOperand_releasesTheDriverToo() throws Exception {
    agent.provide("\"health\"");
    agent.start();
    await().atMost(LIMIT).until(() -> agent.condition("DriverReady").startsWith("True"));
    assertThatThrownBy(this::unload).isInstanceOf(TestbedException.class);

    agent.label("nvidia.com/gpu.deploy.sandbox-validator", UPGRADE);
    awaitAnswer(agent.liveNode().getMetadata().getResourceVersion());
    unload();
  }

  @Test
  void log_reportsTheStateOfTheDriverAfterEachPause() throws Exception {
    try (var log = new LogCapture(DriverController.class)) {
      agent.start();
      awaitReady();
      awaitAnswer(pause());
      unload();
      agent.label(PLUGIN, "true");
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(log.lines())
                  .last(STRING)
                  .startsWith("no driver can be used: nvmlInit_v2 of /")
                  .endsWith("libnvidia-ml.so.550.163.01: the driver is not loaded"));

      agent.gpus().loadDriver();
      awaitReady();
      assertThat(log.lines())
          .filteredOn(line -> line.startsWith("driver "))
          .containsExactly("driver 550.163.01 answers", "driver 550.163.01 answers");
    }
  }

  @Test
  void aSecondPauseIsNotAnsweredByTheWordOfTheFirst() throws Exception {
    agent.start();
    awaitReady();
    String first = pause();
    awaitAnswer(first);
    agent.label("example.com/another", "label");
    String second = agent.liveNode().getMetadata().getResourceVersion();

    assertThat(second).isNotEqualTo(first);
    awaitAnswer(second);
  }

  @Test
  void aHungCallIsWaitedFor() throws Exception {
    agent.start();
    awaitReady();
    agent.gpus().hang(1);
    await().atMost(LIMIT).until(() -> agent.condition("Healthy").startsWith("False"));

    String version = pause();
    await()
        .atMost(LIMIT)
        .until(() -> agent.message("DriverReady").contains("has not returned yet"));
    await().during(WHILE).atMost(LIMIT).until(() -> agent.release().read().isEmpty());
    assertThatThrownBy(this::unload).isInstanceOf(TestbedException.class);

    agent.gpus().release(1);
    awaitAnswer(version);
    unload();
  }

  @Test
  void theWordOfAnAgentThatDiedHoldsUntilTheNodeItselfSaysOtherwise() throws Exception {
    agent.start();
    awaitReady();
    agent.stop();
    // As if it had been killed after its word and before it wrote down the pause for itself.
    said(agent.bootId());

    agent.startAlone();
    await().during(WHILE).atMost(LIMIT).until(() -> agent.release().read().isPresent());
    unload();
    agent.gpus().loadDriver();
    agent.stop();

    agent.start();
    await().atMost(LIMIT).until(() -> agent.release().read().isEmpty());
    awaitReady();
  }

  @Test
  void releaseFileFromBeforeAReboot_doesNotCount() throws Exception {
    agent.start();
    awaitReady();
    agent.stop();
    said("a-boot-before");

    agent.startAlone();

    await().atMost(LIMIT).until(() -> agent.release().read().isEmpty());
  }

  private void said(String bootId) {
    var release =
        new DriverRelease(
            DriverRelease.API_VERSION,
            RunningAgent.NODE,
            bootId,
            "1",
            Map.of(PLUGIN, UPGRADE),
            Map.of());
    assertThat(agent.release().write(release)).isEmpty();
  }

  /// @return the version of the Node that has the pause
  private String pause() {
    agent.label(PLUGIN, UPGRADE);
    return agent.liveNode().getMetadata().getResourceVersion();
  }

  private void awaitAnswer(String version) {
    long start = System.nanoTime();
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(5))
        .until(() ->
            agent
                .release()
                .read()
                .filter(said -> said.answers(version, agent.bootId()))
                .isPresent());
    System.out.printf("answered after %d ms%n", (System.nanoTime() - start) / 1_000_000);
  }

  private void unload() {
    agent.gpus().simulate("unload", "--if-idle");
  }

  private void awaitReady() {
    await().atMost(LIMIT).until(() -> agent.condition("Ready"), "True Ready"::equals);
  }
}
