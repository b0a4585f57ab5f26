package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuWatchTest {
  private static final int GPU_IS_LOST = 15;

  private static final String MIG_LAYOUT =
      """
      mode 1 1 1
      gi 1 3 1 0 2
      ci 1 3 0 1 0 2
      """;

  @TempDir Path folder;
  private final BlockingQueue<HealthSignal> signals = new LinkedBlockingQueue<>();

  @Test
  void eventsOfAnotherProcess_areReportedWithTheirGpu() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      var watch = OpenedGpus.value(gpus.watch(signals::add));
      assertThat(watch.unwatched()).isEmpty();

      node.xid(1, 79);
      assertThat(next()).isEqualTo(wholeGpu(1, EventType.XID, 79));
      node.doubleBitEccError(0);
      assertThat(next()).isEqualTo(wholeGpu(0, EventType.DOUBLE_BIT_ECC, 0));
      node.singleBitEccError(0);
      assertThat(next()).isEqualTo(wholeGpu(0, EventType.SINGLE_BIT_ECC, 0));
    }
  }

  @Test
  void anEventOfAMigDeviceNamesItsInstances() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    node.divide(MIG_LAYOUT);
    try (var gpus = OpenedGpus.of(node)) {
      assertThat(gpus.watch(signals::add).reason()).isEmpty();

      node.xid(1, 94, node.migDevices().getFirst());

      assertThat(next())
          .isEqualTo(
              new HealthSignal.Event(
                  Optional.of(node.gpus().get(1).uuid()),
                  EventType.XID,
                  94,
                  OptionalInt.of(3),
                  OptionalInt.of(0)));
    }
  }

  @Test
  void gpusThatCannotBeWatchedAreNamed() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    node.lose(0);
    try (var gpus = OpenedGpus.of(node)) {
      var watch = OpenedGpus.value(gpus.watch(signals::add));

      assertThat(watch.unwatched())
          .containsExactly(
              new Unwatched(
                  0, Optional.empty(), true, "nvmlDeviceGetHandleByIndex_v2: the GPU is lost"));
    }
  }

  @Test
  void aGpuThatHangsIsNotWatchedAndTheOthersAre() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    node.hang(0);
    try (var gpus = OpenedGpus.of(node, Duration.ofSeconds(1))) {
      var watch = OpenedGpus.value(gpus.watch(signals::add));
      assertThat(watch.unwatched()).extracting(Unwatched::index).containsExactly(0);

      node.xid(1, 48);
      assertThat(next()).isEqualTo(wholeGpu(1, EventType.XID, 48));
      node.release(0);
    }
  }

  @Test
  void driverThatIsUnloaded_isReportedOnce() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      assertThat(gpus.watch(signals::add).reason()).isEmpty();

      node.unloadDriver();

      assertThat(next()).isInstanceOf(HealthSignal.Interrupted.class);
    }
    assertThat(signals).isEmpty();
  }

  @Test
  void watchThatIsReplacedAfterAnError_reportsTheEventsOfItsSet() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      var watch = OpenedGpus.value(gpus.watch(signals::add));
      node.failEventWaits(GPU_IS_LOST, 4);
      assertThat(next()).isInstanceOf(HealthSignal.Interrupted.class);
      node.xid(0, 79);
      watch.retire();

      assertThat(next()).isEqualTo(new HealthSignal.Resumed());
      assertThat(next()).isEqualTo(wholeGpu(0, EventType.XID, 79));
      await().until(watch::hasEnded);
    }
  }

  @Test
  void closedWatch_reportsTheEventsOfItsSet() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      var watch = OpenedGpus.value(gpus.watch(signals::add));
      node.failEventWaits(GPU_IS_LOST, 2);
      assertThat(next()).isInstanceOf(HealthSignal.Interrupted.class);
      node.xid(0, 79);
      watch.close();

      assertThat(signals).contains(wholeGpu(0, EventType.XID, 79));
    }
  }

  @Test
  void closingEndsItsThread() {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      var watch = OpenedGpus.value(gpus.watch(signals::add));
      watch.close();

      assertThat(Thread.getAllStackTraces().keySet())
          .noneMatch(thread -> thread.getName().equals("nvml-events"));
    }
  }

  @Test
  void aListenerThatThrowsHearsTheNextEvent() throws InterruptedException {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100"));
    try (var gpus = OpenedGpus.of(node)) {
      var watch =
          gpus.watch(signal -> {
            signals.add(signal);
            throw new IllegalStateException("broken on purpose");
          });
      assertThat(watch.reason()).isEmpty();

      node.xid(0, 13);
      assertThat(next()).isEqualTo(wholeGpu(0, EventType.XID, 13));
      node.xid(0, 31);
      assertThat(next()).isEqualTo(wholeGpu(0, EventType.XID, 31));
    }
  }

  private @Nullable HealthSignal next() throws InterruptedException {
    return signals.poll(5, TimeUnit.SECONDS);
  }

  private static HealthSignal wholeGpu(int index, EventType type, long data) {
    return new HealthSignal.Event(
        Optional.of("GPU-12345678-1234-1234-1234-12345678000" + index),
        type,
        data,
        OptionalInt.empty(),
        OptionalInt.empty());
  }
}
