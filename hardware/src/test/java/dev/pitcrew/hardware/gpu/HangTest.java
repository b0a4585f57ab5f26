package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/// GPU 0 hangs until a test lets it go, so that a call that waits for it does not return.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class HangTest {
  private static final Duration DEADLINE = Duration.ofMillis(800);
  private static final Duration TIMEOUT = Duration.ofMillis(300);

  /// For tests in which only the timeout may end the wait.
  private static final Duration LONG = Duration.ofMinutes(10);

  @TempDir static Path folder;

  private static int nodes;

  private SimulatedNode node = SimulatedNode.create(next(), SimulatedNodeOptions.of("h100"));
  private Gpus gpus = OpenedGpus.of(node, DEADLINE);

  // Without a short deadline first: a cold process is slower than any GPU.
  @BeforeEach
  void hang() {
    assertThat(OpenedGpus.inventory(node).gpus()).hasSize(2);
    node.hang(0);
  }

  @AfterEach
  void release() {
    node.release(0);
    gpus.close();
  }

  @Test
  void aHungGpuIsUnresponsiveAfterItsDeadline() {
    var inventory = OpenedGpus.value(gpus.inventory());

    assertThat(inventory.gpus().stream().map(Gpu::index)).containsExactly(1);
    assertThat(inventory.unreadable())
        .containsExactly(new UnreadableGpu(0, "reading GPU 0: no answer within the deadline"));
    assertThat(gpus.isResponsive(0)).isFalse();
  }

  @Test
  void othersAnswerWhileOneHangs() {
    var caller = Thread.ofPlatform().start(() -> gpus.gpu(0));
    assertThat(gpus.gpu(1).reason()).isEmpty();
    assertThat(gpus.isResponsive(1)).isTrue();
    assertThat(caller).isNotNull();
  }

  @Test
  void aGpuThatAnswersAgainIsReadAgain() {
    gpus.gpu(0);
    node.release(0);

    await().until(() -> gpus.isResponsive(0));
    assertThat(OpenedGpus.value(gpus.inventory()).unreadable()).isEmpty();
  }

  @Test
  void closingDoesNotWaitForIt() {
    gpus.gpu(0);
    gpus.close();

    try (var again = OpenedGpus.of(node, DEADLINE)) {
      assertThat(again.gpu(1).reason()).isEmpty();
    }
  }

  @Test
  void otherGpus_areKnownWithinTheTimeoutFromTheStart() {
    try (var patient = OpenedGpus.of(node, LONG)) {
      var inventory = OpenedGpus.value(patient.inventory(TIMEOUT));

      assertThat(inventory.gpus().stream().map(Gpu::index)).containsExactly(1);
      assertThat(inventory.unreadable()).extracting(UnreadableGpu::index).containsExactly(0);
    }
  }

  @Test
  void aGpuThatBeginsToHangIsFirstAsItWasAndThenUnreadable() {
    node.release(0);
    var before = OpenedGpus.value(gpus.inventory(TIMEOUT));
    node.hang(0);

    assertThat(gpus.inventory(TIMEOUT)).isEqualTo(Answer.of(before));
    await()
        .untilAsserted(() ->
            assertThat(OpenedGpus.value(gpus.inventory(TIMEOUT)).gpus())
                .extracting(Gpu::index)
                .containsExactly(1));
    node.release(0);
    await().untilAsserted(() -> assertThat(gpus.inventory(TIMEOUT)).isEqualTo(Answer.of(before)));
  }

  /// As on a machine whose processors are busy: the calls of a reading take seconds in all.
  @Test
  void gpuWhoseCallsAreSlowButReturn_isAsItWas() {
    node.release(0);
    try (var patient = OpenedGpus.of(node, LONG)) {
      var before = OpenedGpus.value(patient.inventory(LONG));
      assertThat(patient.vitals(List.of(0, 1), LONG)).containsOnlyKeys(0, 1);
      node.set(0, "call_ms", "200");

      for (int look = 0; look <= HangDetector.MISSES_OF_A_HANG; look++) {
        assertThat(patient.inventory(TIMEOUT)).isEqualTo(Answer.of(before));
        assertThat(patient.vitals(List.of(0, 1), TIMEOUT)).containsOnlyKeys(1);
        assertThat(patient.silent(List.of(0))).isEmpty();
      }
    }
  }

  @Test
  void lateAnswer_isReportedAndCounts() throws InterruptedException {
    var late = new Semaphore(0);
    var settings = OpenedGpus.settings(node, DEADLINE);
    try (var patient = OpenedGpus.value(Gpus.open(settings, TIMEOUT, late::release))) {
      assertThat(OpenedGpus.value(patient.inventory(TIMEOUT)).gpus()).hasSize(1);
      node.release(0);

      assertThat(late.tryAcquire(5, TimeUnit.SECONDS)).isTrue();
      assertThat(OpenedGpus.value(patient.inventory(TIMEOUT)).gpus()).hasSize(2);
    }
  }

  @Test
  void whereAllHangTheDriverStillAnswers() {
    node.hang(1);

    try (var patient = OpenedGpus.of(node, LONG)) {
      var inventory = OpenedGpus.value(patient.inventory(TIMEOUT));

      assertThat(inventory.gpus()).isEmpty();
      assertThat(inventory.unreadable()).hasSize(2);
      node.release(1);
    }
  }

  @Test
  void otherGpus_areWatchedWithinTheTimeout() {
    try (var patient = OpenedGpus.of(node, LONG)) {
      var watch = OpenedGpus.value(patient.watch(_ -> {}, TIMEOUT));

      assertThat(watch.unwatched()).extracting(Unwatched::index).containsExactly(0);
    }
  }

  private static Path next() {
    return folder.resolve("node-" + nodes++);
  }
}
