package dev.pitcrew.agent.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.plugin.Facts;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.Soak;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The watch of a node on simulated GPUs, some of which hang.
class NodeWatchTest {
  private static final int GPUS = 4;

  private static final int GPU_IS_LOST = 15;

  private static final Duration LONG = Duration.ofSeconds(60);

  private static final Duration MOMENT = Duration.ofMillis(5);

  /// A busy machine is watched over some examinations, of which there are two a second.
  private static final Duration BUSY = Duration.ofSeconds(Soak.amount(3, 8));

  /// For calls to a GPU that hangs: what waited for one would not come in time.
  private static final Duration DEADLINE_OF_CALLS = Duration.ofMinutes(10);

  @TempDir static Path warmFolder;
  @TempDir Path folder;
  private final Queue<NodeSnapshot> published = new ConcurrentLinkedQueue<>();
  private final AtomicReference<NodeSnapshot> newest = new AtomicReference<>();
  private SimulatedNode node;

  // The first reading of a process is slower than any GPU.
  @BeforeAll
  static void warmUp() {
    var warm = SimulatedNode.create(warmFolder, SimulatedNodeOptions.of("h100"));
    assertThat(Facts.inventory(warm).gpus()).hasSize(2);
  }

  @BeforeEach
  void create() {
    node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(GPUS));
  }

  @AfterEach
  void release() {
    for (int gpu = 0; gpu < GPUS; gpu++) {
      node.release(gpu);
    }
  }

  @Test
  void aGpuThatHangsFromTheStartDoesNotHoldUpTheOthers() {
    node.hang(0);
    try (var _ = startWithLongTimeout()) {
      await().atMost(LONG).until(() -> usable(Set.of(1, 2, 3)));
      node.release(0);
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
  }

  @Test
  void severalHungGpus_doNotDelayTheOthersEither() {
    node.hang(0);
    node.hang(2);
    node.hang(3);
    try (var _ = startWithLongTimeout()) {
      await().atMost(LONG).until(() -> usable(Set.of(1)));
    }
  }

  @Test
  void aGpuThatBeginsToHangIsUnhealthyUntilItAnswers() {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      node.hang(1);

      await().atMost(LONG).until(() -> usable(Set.of(0, 2, 3)));
      assertThat(listed()).isEqualTo(Set.of(0, 1, 2, 3));
      node.xid(2, 79);
      await().atMost(LONG).until(() -> usable(Set.of(0, 3)));
      node.release(1);
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 3)));
    }
  }

  @Test
  void whereAllHangTheListStaysAndComesBack() {
    try (var _ = start(withDeadline(Duration.ofSeconds(1)))) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      for (int gpu = 0; gpu < GPUS; gpu++) {
        node.hang(gpu);
      }
      await().atMost(LONG).until(() -> usable(Set.of()));
      assertThat(listed()).isEqualTo(Set.of(0, 1, 2, 3));
      release();
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
  }

  @Test
  void hungGpu_isWatchedAgainWhenItAnswers() {
    node.hang(0);
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(1, 2, 3)));
      node.release(0);
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));

      await()
          .atMost(LONG)
          .until(() -> {
            node.xid(0, 79);
            return usable(Set.of(1, 2, 3));
          });
    }
  }

  @Test
  void gpuThatBeginsToHang_isWithdrawnBeforeItCountsAsUnhealthy() {
    try (var _ = startExamining()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      published.clear();
      long start = System.nanoTime();
      node.hang(1);
      await().pollInterval(MOMENT).atMost(LONG).until(() -> usable(Set.of(0, 2, 3)));
      System.out.printf(
          "hung -> withdrawn: %d ms%n", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      var first = (NodeSnapshot.WithDriver) published.peek();
      assertThat(first.silent()).hasSize(1);
      assertThat(first.gpus().unanswered()).isEmpty();

      await()
          .atMost(LONG)
          .until(() -> !((NodeSnapshot.WithDriver) newest.get()).gpus().unanswered().isEmpty());
      node.release(1);
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
  }

  /// Each GPU has an Xid behind errors of the wait for events.
  @Test
  void xidBehindErrorsOfTheWaitForEvents_isReported() {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      for (int gpu = 0; gpu < GPUS; gpu++) {
        node.failEventWaits(GPU_IS_LOST, 1 + 2 * gpu);
        node.xid(gpu, 79);
      }
      await().atMost(LONG).until(() -> usable(Set.of()));
    }
  }

  /// More threads that compute than processors.
  @Test
  void aMachineThatIsBusyMakesNoGpuUnhealthy() throws Exception {
    var busy = new AtomicBoolean(true);
    var threads = new ArrayList<Thread>();
    try (var _ = startExamining()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      published.clear();
      for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
        threads.add(Thread.ofPlatform().start(() -> spin(busy)));
      }
      await().during(BUSY).atMost(LONG.plus(BUSY)).until(() -> usable(Set.of(0, 1, 2, 3)));
    } finally {
      busy.set(false);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(published).as("nothing has changed").isEmpty();
  }

  private static void spin(AtomicBoolean busy) {
    while (busy.get()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void aGpuThatWasLostAndCameBackIsWell() {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      node.xid(3, 79);
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2)));
      node.lose(3);
      await().atMost(LONG).until(() -> unhealthyReason().contains("lost"));
      node.restore(3);
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
  }

  @Test
  void anotherPolicy_healsExactlyTheGpusThatItIgnores() {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      node.xid(1, 48);
      node.xid(2, 79);
      await().atMost(LONG).until(() -> usable(Set.of(0, 3)));
    }
    var before = (NodeSnapshot.WithDriver) newest.get();
    var policy = XidPolicy.of("48", "");
    try (var _ = start(new NodeWatch.Basis(Facts.settings(node), policy, Optional.of(before)))) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 3)));
    }
  }

  @Test
  void aGpuThatHangsFromTheStartStaysAsAnEarlierWatchSawItUntilThatIsDecided() {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
    var before = (NodeSnapshot.WithDriver) newest.get();
    published.clear();
    node.hang(1);
    var basis = new NodeWatch.Basis(Facts.settings(node), XidPolicy.DEFAULT, Optional.of(before));
    try (var _ = start(basis)) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 2, 3)));
      assertThat(listed()).isEqualTo(Set.of(0, 1, 2, 3));
      assertThat(published.peek().health().unhealthy()).isEmpty();
    }
  }

  @Test
  void aDriverContainerThatComesLaterIsFound() throws Exception {
    Path driver = node.driverRoot();
    Path notYet = Files.move(driver, driver.resolveSibling("not-yet"));
    var host = new HostRoot(node.hostRoot());
    var settings = new GpuSettings(host, DriverRootFinder.searching(host, List.of()));
    try (var _ = start(settings)) {
      await().atMost(LONG).until(() -> newest.get() instanceof NodeSnapshot.WithoutDriver);
      Files.move(notYet, driver);

      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
  }

  @Test
  void driverThatWasOnlyOutOfSight_healsNoGpu() throws Exception {
    Path driver = node.driverRoot();
    var host = new HostRoot(node.hostRoot());
    var settings = new GpuSettings(host, DriverRootFinder.searching(host, List.of()));
    try (var _ = start(settings)) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      node.xid(1, 79);
      await().atMost(LONG).until(() -> usable(Set.of(0, 2, 3)));
    }
    var before = (NodeSnapshot.WithDriver) newest.get();
    Path away = Files.move(driver, driver.resolveSibling("away"));
    var basis = new NodeWatch.Basis(settings, XidPolicy.DEFAULT, Optional.of(before));
    try (var _ = start(basis)) {
      await().atMost(LONG).until(() -> newest.get() instanceof NodeSnapshot.WithoutDriver);
      Files.move(away, driver);

      await().atMost(LONG).until(() -> newest.get() instanceof NodeSnapshot.WithDriver);
      assertThat(usable(Set.of(0, 2, 3))).as(unhealthyReason()).isTrue();
    }
  }

  @Test
  void aDriverThatIsLoadedAgainIsSeenWithinASecond() throws Exception {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      node.unloadDriver();
      await().atMost(LONG).until(() -> newest.get() instanceof NodeSnapshot.WithoutDriver);
      node.loadDriver();
      Files.createFile(node.hostRoot().resolve("dev/nvidia-modeset-again"));

      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
    }
  }

  @Test
  void stormOfXids_makesFewSnapshots_andXidsOfOtherGpusAreReported() throws Exception {
    try (var _ = start()) {
      await().atMost(LONG).until(() -> usable(Set.of(0, 1, 2, 3)));
      published.clear();
      long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      int events = 0;
      while (System.nanoTime() < endNanos) {
        node.xid(0, 48 + 31 * (events++ % 2));
      }
      node.xid(1, 79);
      await().atMost(LONG).until(() -> usable(Set.of(2, 3)));

      System.out.printf("%d Xids in 2 s made %d snapshots%n", events, published.size());
      assertThat(published.size()).isLessThan(60);
    }
  }

  private NodeWatch start() {
    return start(Facts.settings(node));
  }

  private NodeWatch startWithLongTimeout() {
    return start(withDeadline(DEADLINE_OF_CALLS));
  }

  private GpuSettings withDeadline(Duration deadline) {
    return new GpuSettings(
        new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()), deadline);
  }

  private NodeWatch startExamining() {
    var rules = new HealthRules(Duration.ofMinutes(5));
    return start(
        new NodeWatch.Basis(
            Facts.settings(node), XidPolicy.DEFAULT, Optional.of(rules), Optional.empty()));
  }

  private NodeWatch start(GpuSettings settings) {
    return start(new NodeWatch.Basis(settings, XidPolicy.DEFAULT, Optional.empty()));
  }

  private NodeWatch start(NodeWatch.Basis basis) {
    return NodeWatch.start(
        basis,
        InstantSource.system(),
        snapshot -> {
          published.add(snapshot);
          newest.set(snapshot);
        });
  }

  private boolean usable(Set<Integer> indices) {
    return newest.get() != null && indices(gpu -> !isUnhealthy(gpu)).equals(indices);
  }

  private Set<Integer> listed() {
    return indices(_ -> true);
  }

  private String unhealthyReason() {
    return newest.get().health().unhealthy().toString();
  }

  private boolean isUnhealthy(Gpu gpu) {
    return newest.get().health().of(gpu).isPresent();
  }

  private Set<Integer> indices(Predicate<Gpu> kind) {
    List<Gpu> gpus = newest.get().inventory().map(inventory -> inventory.gpus()).orElse(List.of());
    return Set.copyOf(gpus.stream().filter(kind).map(Gpu::index).toList());
  }
}
