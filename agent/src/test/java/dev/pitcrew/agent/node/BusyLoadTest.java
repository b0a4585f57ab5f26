package dev.pitcrew.agent.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.junit.Soak;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// GPUs under a load that holds the driver's resource manager again and again, as programs do that
/// start and end. `make soak` plays half an hour of it, on three nodes at a time. The seed is
/// printed; `-Dpitcrew.busy.seed=N` plays it again.
class BusyLoadTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int NODES = Soak.amount(1, 3);
  private static final Duration LENGTH = Duration.ofSeconds(Soak.amount(16, 10 * 60));

  /// A watch for each, so that some start while the manager is held.
  private static final int WATCHES = Soak.amount(2, 10);

  /// The first handle of a GPU, for a watch that starts while no process has NVML open.
  private static final Duration FIRST_OPEN = Duration.ofMillis(700);

  private static final int LOST_XID = 79;
  private static final long SEED = Long.getLong("pitcrew.busy.seed", System.nanoTime());

  @TempDir private Path folder;

  @Test
  void load_makesNoGpuUnhealthyAndHidesNone() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var nodes = new ArrayList<Future<?>>();
      for (int i = 0; i < NODES; i++) {
        long seed = SEED + i;
        nodes.add(threads.submit(() -> play(seed)));
      }
      for (Future<?> node : nodes) {
        node.get();
      }
    }
  }

  private void play(long seed) {
    try (var loaded = new LoadedNode(folder.resolve("node-" + seed), seed)) {
      loaded.node().withoutPersistence(FIRST_OPEN);
      for (int i = 0; i < WATCHES; i++) {
        try (var _ = loaded.watch()) {
          long end = System.nanoTime() + LENGTH.dividedBy(WATCHES).toNanos();
          await().atMost(LENGTH).until(() -> System.nanoTime() - end >= 0);
        }
        assertThat(loaded.snapshots())
            .as("seed %d, watch %d", seed, i)
            .allSatisfy(this::assertWell);
      }
      System.out.printf(
          "busy load: seed %d, %s, %d holds, %d watches: no false alarm%n",
          seed, LENGTH, loaded.holds(), WATCHES);
    }
  }

  private void assertWell(NodeSnapshot snapshot) {
    assertThat(snapshot.inventory().orElseThrow().gpus()).hasSize(LoadedNode.GPUS);
    assertThat(LoadedNode.unusable(snapshot)).isEmpty();
  }

  @Test
  void faultsAreFoundUnderLoad() {
    try (var loaded = new LoadedNode(folder.resolve("faulty"), SEED)) {
      found(loaded, "xid 79", 0, () -> loaded.node().xid(0, LOST_XID));
      found(loaded, "hang", 1, () -> loaded.node().hang(1));
      loaded.node().release(1);
      found(loaded, "lost", 2, () -> loaded.node().lose(2));
    }
  }

  /// From the fault to the first snapshot that has it, and has nothing against the other GPUs.
  private static void found(LoadedNode loaded, String fault, int gpu, Runnable inject) {
    try (var _ = loaded.watch()) {
      long start = System.nanoTime();
      inject.run();
      await().atMost(LIMIT).until(() -> !LoadedNode.unusable(loaded.newest()).isEmpty());
      System.out.printf(
          "busy load: seed %d, %s -> unhealthy: %d ms%n",
          SEED, fault, Duration.ofNanos(System.nanoTime() - start).toMillis());
      assertThat(LoadedNode.unusable(loaded.newest())).as("seed %d", SEED).containsExactly(gpu);
    }
  }
}
