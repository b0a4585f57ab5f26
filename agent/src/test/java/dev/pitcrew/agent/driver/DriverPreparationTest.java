package dev.pitcrew.agent.driver;

import static dev.pitcrew.agent.driver.PreparationBed.DCGM;
import static dev.pitcrew.agent.driver.PreparationBed.IMPATIENT;
import static dev.pitcrew.agent.driver.PreparationBed.LIMIT;
import static dev.pitcrew.agent.driver.PreparationBed.LONG_TIMEOUT;
import static dev.pitcrew.agent.driver.PreparationBed.PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.driver.plan.OperandLabels;
import dev.pitcrew.agent.host.DriverTraces;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real API server, and a folder for the host.
@WithControlPlane
class DriverPreparationTest {
  private static final String PAUSED = "paused-for-driver-upgrade";

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
  void theSameDriverIsKeptAndNothingIsWritten() throws Exception {
    host.withDriver("1234");
    host.module("nvidia_uvm", 3);
    bed.hold("train", "nvidia.com/gpu");
    List<ManagedFieldsEntry> before = bed.written();

    assertThat(bed.run("1234", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);

    assertThat(bed.written()).isEqualTo(before);
    assertThat(host.unloaded()).isEmpty();
    assertThat(host.read("/sys/module/nvidia_uvm/refcnt")).isEqualTo("3\n");
    assertThat(host.at("/run/nvidia/nvidia-driver.state")).hasContent("1234");
    assertThat(host.at("/run/nvidia/nvidia-driver.pid")).doesNotExist();
  }

  @Test
  void anotherDriverMakesWay() throws Exception {
    host.withDriver("1234");

    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);

    assertThat(host.unloaded())
        .containsExactly("nvidia_drm", "nvidia_modeset", "nvidia_uvm", "nvidia");
    assertThat(host.at("/run/nvidia/nvidia-driver.state")).doesNotExist();
    assertThat(bed.labels()).containsEntry(PLUGIN, "true").containsEntry(DCGM, "false");
    assertThat(bed.labels()).doesNotContainKey("nvidia.com/gpu.deploy.nvsm");
    assertThat(bed.written()).isNotEmpty();
  }

  @Test
  void operandsAndAgentGoFirst() throws Exception {
    host.withDriver("1234");
    bed.pod("plugin", Map.of(PLUGIN, "true"));
    bed.pod("agent", Map.of());
    bed.running("agent");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result = background.submit(() -> bed.run("5678", LONG_TIMEOUT));
      await().atMost(LIMIT).until(() -> PAUSED.equals(bed.labels().get(PLUGIN)));
      assertThat(host.unloaded()).isEmpty();

      bed.delete("plugin");
      bed.release(bed.live().getMetadata().getResourceVersion());

      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
  }

  @Test
  void agent_isPausedThoughNoOperandIsToRun() throws Exception {
    host.withDriver("1234");
    bed.label(PLUGIN, "false");
    bed.pod("agent", Map.of());
    bed.running("agent");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result = background.submit(() -> bed.run("5678", LONG_TIMEOUT));
      await().atMost(LIMIT).until(() -> ("false_" + PAUSED).equals(bed.labels().get(PLUGIN)));

      bed.release(bed.live().getMetadata().getResourceVersion());

      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
    assertThat(bed.labels()).containsEntry(PLUGIN, "false").containsEntry(DCGM, "false");
  }

  @Test
  void aPodThatHoldsAGpuIsNamedAndNothingIsPaused() throws Exception {
    host.withDriver("1234");
    bed.hold("train", "nvidia.com/mig-1g.10gb");
    List<ManagedFieldsEntry> before = bed.written();

    PreparationResult result = bed.run("5678", IMPATIENT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words()).contains("team/train", "autoUpgrade");
    assertThat(bed.written()).isEqualTo(before);
    assertThat(host.hasDriver()).isTrue();
  }

  @Test
  void theNodeSaysWhichPodIsWaitedForUntilItIsGone() throws Exception {
    host.withDriver("1234");
    bed.hold("train", "nvidia.com/gpu");
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result = background.submit(() -> bed.run("5678", LONG_TIMEOUT));
      await().atMost(LIMIT).until(() -> bed.said().contains("team/train holds a GPU"));
      assertThat(host.unloaded()).isEmpty();
      bed.kubelet().end("train");
      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
    assertThat(host.hasDriver()).isFalse();
    assertThat(bed.said()).isEmpty();
  }

  @Test
  void annotationOfAKilledManager_isRemoved() throws Exception {
    bed.say("the network");

    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);

    assertThat(bed.said()).isEmpty();
  }

  @Test
  void aFreshNodeKeepsItsOperands() throws Exception {
    List<ManagedFieldsEntry> before = bed.written();

    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);

    assertThat(bed.written()).isEqualTo(before);
  }

  @Test
  void nouveauMakesWay() throws Exception {
    host.module("nouveau", 0);
    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.MayStart.class);
    assertThat(host.unloaded()).containsExactly("nouveau");

    host.module("nouveau", 1);
    assertThat(bed.run("5678", LONG_TIMEOUT).words()).contains("nouveau", "blacklist");
  }

  @Test
  void failureAfterTheUnload_resumesTheOperands() throws Exception {
    host.withDriver("1234");
    host.module("nouveau", 1);

    PreparationResult result = bed.run("5678", LONG_TIMEOUT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words()).contains("nouveau");
    assertThat(host.hasDriver()).isFalse();
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
    assertThat(bed.written()).as("they were paused").isNotEmpty();
  }

  @Test
  void operandsPausedByAKilledManager_areResumedThoughTheNextOneFails() throws Exception {
    host.withDriver("1234");
    Files.delete(host.at("/run/nvidia/nvidia-driver.pid"));
    host.text("/run/nvidia/nvidia-driver.pid/a-folder", "that cannot be removed");
    bed.label(PLUGIN, PAUSED);
    bed.say("the network");

    PreparationResult result = bed.run("1234", LONG_TIMEOUT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words()).contains("nvidia-driver.pid cannot be removed");
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
    assertThat(bed.said()).isEmpty();
  }

  @Test
  void aDriverThatStaysWithoutAUserNeedsARebootAndTheNextTryKnows() throws Exception {
    host.withDriver("1234");
    host.stick();

    PreparationResult first = bed.run("5678", LONG_TIMEOUT);

    assertThat(first).isInstanceOf(PreparationResult.NeedsReboot.class);
    assertThat(first.words()).contains("reboot the node", "nvidia_drm");
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
    List<ManagedFieldsEntry> before = bed.written();
    long start = System.nanoTime();
    PreparationResult second = bed.run("5678", LONG_TIMEOUT);
    System.out.printf("known again after %d ms%n", (System.nanoTime() - start) / 1_000_000);
    assertThat(second).isInstanceOf(PreparationResult.NeedsReboot.class);
    assertThat(bed.written()).as("not paused again").isEqualTo(before);

    bed.say("a pod");
    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.NeedsReboot.class);
    assertThat(bed.said()).isEmpty();

    host.text("/proc/sys/kernel/random/boot_id", "another\n");
    host.module("nvidia_uvm", 1);
    assertThat(bed.run("5678", LONG_TIMEOUT))
        .as("after a reboot")
        .isInstanceOf(PreparationResult.NeedsReboot.class);
    assertThat(host.read("/run/nvidia/pitcrew-driver-wedged")).contains("another");
  }

  @Test
  void modulesInUseAfterAPodThatCameInBetween_areNoWedge() throws Exception {
    host.withDriver("1234");
    host.module("nvidia_uvm", 1);
    var now = new AtomicReference<>(Instant.parse("2026-11-23T08:00:00Z"));
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result =
          background.submit(() -> bed.run("5678", LONG_TIMEOUT, new WakeUp(), now::get));
      await().atMost(LIMIT).until(() -> PAUSED.equals(bed.labels().get(PLUGIN)));
      bed.hold("train", "nvidia.com/gpu");
      await().atMost(LIMIT).until(() -> "true".equals(bed.labels().get(PLUGIN)));
      now.set(now.get().plus(Duration.ofMinutes(3)));
      bed.kubelet().end("train");
      await().atMost(LIMIT).until(() -> PAUSED.equals(bed.labels().get(PLUGIN)));
      host.module("nvidia_uvm", 0);

      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .isInstanceOf(PreparationResult.MayStart.class);
    }
  }

  @Test
  void managerThatCannotSeeTheHostsProcesses_requestsNoReboot() throws Exception {
    host.withDriver("1234");
    host.module("nvidia_uvm", 1);
    Files.delete(host.at("/proc/1/ns/pid"));
    host.link("/proc/1/ns/pid", "pid:[4026532801]");

    PreparationResult result = bed.run("5678", LONG_TIMEOUT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words()).contains("waited too long for another program", "nvidia_uvm=1");
    assertThat(host.at("/run/nvidia/pitcrew-driver-wedged")).doesNotExist();
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
  }

  @Test
  void aProcessThatHasTheDriverOpenIsNamed() throws Exception {
    host.withDriver("1234");
    host.module("nvidia", 1, "nvidia_uvm", "nvidia_modeset");
    host.text("/proc/815/comm", "burn-in\n");
    host.link("/proc/815/fd/3", "/dev/nvidia0");

    PreparationResult result = bed.run("5678", LONG_TIMEOUT);

    assertThat(result).isInstanceOf(PreparationResult.Refused.class);
    assertThat(result.words()).contains("process 815 (burn-in)");
    assertThat(host.unloaded()).isEmpty();
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
  }

  @Test
  void aHostWithADriverOfItsOwnKeepsIt() throws Exception {
    host.program("nvidia-smi", "echo 580.95.05; echo 580.95.05");

    assertThat(bed.run("5678", LONG_TIMEOUT))
        .isInstanceOfSatisfying(
            PreparationResult.LeftToHost.class,
            it -> assertThat(it.words()).contains("driver 580.95.05"));
    assertThat(bed.labels()).containsEntry(OperandLabels.DRIVER, "pre-installed");
    List<ManagedFieldsEntry> before = bed.written();
    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.LeftToHost.class);
    assertThat(bed.written()).isEqualTo(before);
  }

  @Test
  void aNodeForVirtualMachinesThatHasADriverIsLeftAsItIs() throws Exception {
    bed.unlabel(OperandLabels.DRIVER);
    host.program("nvidia-smi", "echo 580.95.05");
    List<ManagedFieldsEntry> before = bed.written();

    assertThat(bed.run("", LONG_TIMEOUT))
        .isInstanceOfSatisfying(
            PreparationResult.LeftToHost.class,
            it -> assertThat(it.words()).contains("580.95.05", "remove it and reboot"));

    assertThat(bed.written()).isEqualTo(before);
    assertThat(bed.labels()).doesNotContainKey(OperandLabels.DRIVER);
  }

  @Test
  void filesLeftByADriverContainer_areNotTakenForItsDriver() throws Exception {
    host.text("/run/nvidia/nvidia-driver.state", "1234\n");
    host.text("/run/nvidia/nvidia-driver.pid", "4711\n");
    host.program("nvidia-smi", "echo 580.95.05");
    assertThat(DriverTraces.of(host.places().root())).isEqualTo(DriverTraces.LEFT);

    assertThat(bed.run("5678", LONG_TIMEOUT)).isInstanceOf(PreparationResult.LeftToHost.class);

    assertThat(DriverTraces.of(host.places().root())).isEqualTo(DriverTraces.NONE);
    assertThat(host.at("/run/nvidia/nvidia-driver.pid")).doesNotExist();
  }

  @Test
  void managerThatIsStopped_resumesTheOperands() throws Exception {
    host.withDriver("1234");
    bed.pod("plugin", Map.of(PLUGIN, "true"));
    var wakeUp = new WakeUp();
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<PreparationResult> result =
          background.submit(() -> bed.run("5678", LONG_TIMEOUT, wakeUp));
      await().atMost(LIMIT).until(() -> PAUSED.equals(bed.labels().get(PLUGIN)));
      wakeUp.end();
      assertThat(result.get(LIMIT.toSeconds(), TimeUnit.SECONDS).words()).contains("asked to stop");
    }
    assertThat(bed.labels()).containsEntry(PLUGIN, "true");
    assertThat(host.hasDriver()).isTrue();
  }
}
