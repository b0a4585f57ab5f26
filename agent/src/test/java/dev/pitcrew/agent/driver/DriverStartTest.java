package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.core.names.NodeLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What earlier driver containers, and programs of the host, leave for the next start to see.
class DriverStartTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final String DIGEST = "/run/nvidia/nvidia-driver.state";
  private static final String PROCESS = "/run/nvidia/nvidia-driver.pid";

  /// As a program ends that took too long.
  private static final String HANGS = "exit 124";

  private static final String AGENT =
      """
      {"metadata": {"uid": "1", "namespace": "gpu-operator", "name": "agent",
                    "labels": {"app": "pitcrew-agent"}},
       "spec": {"containers": [{"name": "main"}]},
       "status": {"phase": "Running",
                  "containerStatuses": [{"name": "main", "state": {"running": {}}}]}}
      """;

  @TempDir private Path folder;
  private FakeHost host;
  private FakeNode node;

  @BeforeEach
  void prepare() throws IOException {
    host = new FakeHost(Files.createDirectory(folder.resolve("host")));
    node = new FakeNode(Files.createDirectory(folder.resolve("account")), host, AGENT);
    node.set("labels", Map.of(PLUGIN, "true"));
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void theDriverOfAContainerAnswersToAProgramOfTheHostAndStaysTheContainers() throws Exception {
    host.withDriver("1234");
    host.program("nvidia-smi", "echo 580.95.05");

    assertThat(node.run("1234").words()).contains("the one that is wanted");

    assertThat(node.text("labels", OperandLabels.DRIVER)).isEmpty();
    assertThat(host.at(DIGEST)).hasContent("1234");
    assertThat(host.hasDriver()).isTrue();
  }

  @Test
  void aContainersDriverThatHasBegunToGoIsStillTheContainers() throws Exception {
    host.withDriver("1234");
    Files.delete(host.at(DIGEST));
    host.program("nvidia-smi", "echo 580.95.05");

    assertThat(node.check("1234")).isEmpty();
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> node.run("1234"));
      assertThat(released(ending).words()).isEqualTo("no driver is loaded");
    }
    assertThat(node.text("labels", OperandLabels.DRIVER)).isEmpty();
  }

  @Test
  void aDriverThatNoContainerLoadedIsTheHosts() throws Exception {
    host.module("nvidia", 0);
    host.program("nvidia-smi", "echo 580.95.05");

    assertThat(node.run("1234")).isInstanceOf(Ending.LeftToHost.class);
    assertThat(node.text("labels", OperandLabels.DRIVER)).isEqualTo("pre-installed");
  }

  @Test
  void theDigestOfADriverThatIsGoneVouchesForNoneThatComes() throws Exception {
    host.text(DIGEST, "1234\n");
    assertThat(node.run("1234").words()).isEqualTo("no driver is loaded");
    assertThat(host.at(DIGEST)).doesNotExist();

    // The container begins, and is killed.
    host.text(PROCESS, "4711\n");
    host.module("nvidia", 0);
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending = background.submit(() -> node.run("1234"));
      assertThat(released(ending).words()).isEqualTo("no driver is loaded");
    }
    assertThat(host.unloaded()).containsExactly("nvidia");
  }

  @Test
  void aPauseIsEndedThoughTheHostsProgramHangs() throws Exception {
    host.program("nvidia-smi", HANGS);
    node.set("labels", Map.of(PLUGIN, PAUSED));
    node.set("annotations", Map.of(NodeLabels.DRIVER_MANAGER_WAITS, "the network"));

    Ending ending = node.run("1234");

    assertThat(ending).isInstanceOf(Ending.Refused.class);
    assertThat(ending.words()).contains("nvidia-smi", "does not answer");
    assertThat(node.text("labels", PLUGIN)).isEqualTo("true");
    assertThat(node.text("annotations", NodeLabels.DRIVER_MANAGER_WAITS)).isEmpty();
  }

  @Test
  void aProgramThatHangsCountsAsLittleAsItsAnswerWould() throws Exception {
    host.program("nvidia-smi", HANGS);
    assertThat(node.check("1234").orElse("")).contains("does not answer");

    node.set("labels", Map.of(NodeLabels.OWNER_OF_DRIVER, "pitcrew"));

    assertThat(node.check("1234")).isEmpty();
    assertThat(node.run("1234")).isInstanceOf(Ending.MayStart.class);
  }

  @Test
  void theAgentsWordIsFoundWhereNobodyTellsOfFiles() throws Exception {
    host.withDriver("1234");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ending> ending =
          background.submit(() ->
              node.run(
                  "5678",
                  (_, _) -> {
                    throw new IOException("User limit of inotify instances reached");
                  }));
      assertThat(released(ending)).isInstanceOf(Ending.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
  }

  /// What comes of it once the agent lets go whenever it is asked to.
  private Ending released(Future<Ending> ending) throws Exception {
    await()
        .atMost(LIMIT)
        .until(() -> {
          if (node.text("labels", PLUGIN).equals(PAUSED)) {
            node.release();
          }
          return ending.isDone();
        });
    return ending.get();
  }
}
