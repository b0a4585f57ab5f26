package dev.pitcrew.agent.driver;

import static dev.pitcrew.agent.driver.PreparationBed.LIMIT;
import static dev.pitcrew.agent.driver.PreparationBed.LONG_TIMEOUT;
import static dev.pitcrew.agent.driver.PreparationBed.PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What earlier driver containers, and programs of the host, leave for the next start to see.
@WithControlPlane
class DriverStartTest {
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final String DIGEST = "/run/nvidia/nvidia-driver.state";
  private static final String PROCESS = "/run/nvidia/nvidia-driver.pid";

  /// As a program ends that took too long.
  private static final String HANGS = "exit 124";

  @TempDir private Path folder;
  private PreparationBed bed;
  private FakeHost host;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) throws IOException {
    bed = PreparationBed.create(plane, namespace.name(), folder);
    host = bed.host();
  }

  @AfterEach
  void remove() {
    bed.close();
  }

  @Test
  void theDriverOfAContainerAnswersToAProgramOfTheHostAndStaysTheContainers() throws Exception {
    host.withDriver("1234");
    host.program("nvidia-smi", "echo 580.95.05");

    assertThat(bed.run("1234", LONG_TIMEOUT).words()).contains("the one that is wanted");

    assertThat(bed.labels()).containsEntry(OperandLabels.DRIVER, "true");
    assertThat(host.at(DIGEST)).hasContent("1234");
    assertThat(host.hasDriver()).isTrue();
  }

  @Test
  void aContainersDriverThatHasBegunToGoIsStillTheContainers() throws Exception {
    host.withDriver("1234");
    Files.delete(host.at(DIGEST));
    host.program("nvidia-smi", "echo 580.95.05");

    assertThat(bed.check("1234")).isEmpty();
    assertThat(bed.run("1234", LONG_TIMEOUT).words()).isEqualTo("no driver is loaded");
    assertThat(bed.labels()).containsEntry(OperandLabels.DRIVER, "true");
  }

  @Test
  void aDriverThatNoContainerLoadedIsTheHosts() throws Exception {
    host.module("nvidia", 0);
    host.program("nvidia-smi", "echo 580.95.05");

    assertThat(bed.run("1234", LONG_TIMEOUT)).isInstanceOf(PreparationResult.LeftToHost.class);
    assertThat(bed.labels()).containsEntry(OperandLabels.DRIVER, "pre-installed");
  }

  @Test
  void theDigestOfADriverThatIsGoneVouchesForNoneThatComes() throws Exception {
    host.text(DIGEST, "1234\n");
    assertThat(bed.run("1234", LONG_TIMEOUT).words()).isEqualTo("no driver is loaded");
    assertThat(host.at(DIGEST)).doesNotExist();

    // The container begins, and is killed.
    host.text(PROCESS, "4711\n");
    host.module("nvidia", 0);
    assertThat(bed.run("1234", LONG_TIMEOUT).words()).isEqualTo("no driver is loaded");
    assertThat(host.unloaded()).containsExactly("nvidia");
  }

  @Test
  void aPauseIsEndedThoughTheHostsProgramHangs() throws Exception {
    host.program("nvidia-smi", HANGS);
    bed.label(PLUGIN, PAUSED);
    bed.say("the network");

    PreparationResult result = bed.run("1234", LONG_TIMEOUT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words()).contains("nvidia-smi", "does not answer");
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
    assertThat(bed.said()).isEmpty();
  }

  @Test
  void aProgramThatHangsCountsAsLittleAsItsAnswerWould() throws Exception {
    host.program("nvidia-smi", HANGS);
    assertThat(bed.check("1234").orElse("")).contains("does not answer");

    bed.label(NodeLabels.OWNER_OF_DRIVER, "pitcrew");

    assertThat(bed.check("1234")).isEmpty();
    assertThat(bed.run("1234", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);
  }

  @Test
  void releaseFile_isFoundWithoutFileEvents() throws Exception {
    host.withDriver("1234");
    bed.pod("agent", Map.of());
    bed.running("agent");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result =
          background.submit(() ->
              bed.run(
                  "5678",
                  (_, _) -> {
                    throw new IOException("User limit of inotify instances reached");
                  }));
      await().atMost(LIMIT).until(() -> PAUSED.equals(bed.labels().get(PLUGIN)));
      bed.release(bed.live().getMetadata().getResourceVersion());
      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
  }
}
