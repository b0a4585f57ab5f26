package dev.pitcrew.agent.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.plugin.Facts;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.Soak;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A driver whose resource manager is held by other calls, beside GPUs that hang.
class BusyDriverTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /// As a GPU that is initialized or divided holds it, or longer.
  private static final Duration HOLD = Duration.ofSeconds(5);

  private static final int HOLDS = Soak.amount(2, 6);

  @TempDir Path folder;
  private final Queue<NodeSnapshot> published = new ConcurrentLinkedQueue<>();
  private volatile Optional<NodeSnapshot> newest = Optional.empty();
  private Optional<SimulatedNode> created = Optional.empty();

  @AfterEach
  void release() {
    created.ifPresent(node -> {
      node.holdManager(Duration.ZERO);
      node.gpus().forEach(gpu -> node.release(gpu.index()));
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void heldManager_makesNoGpuUnhealthy(int gpus) {
    var node = node(gpus);
    try (var _ = start(Facts.settings(node))) {
      await().atMost(LONG).until(() -> usable().size() == gpus);
      published.clear();
      for (int i = 0; i < HOLDS; i++) {
        node.holdManager(HOLD);
        await().atMost(LONG).until(() -> isFree(node));
      }
      assertThat(published).as("nothing has changed").isEmpty();
    }
  }

  /// Beside a single GPU a hang cannot be distinguished from a manager that is held for long.
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void hungGpu_isUnhealthyWhileTheManagerIsFree(int gpus) {
    var node = node(gpus);
    var usual = Facts.settings(node);
    var shorter =
        new GpuSettings(
            new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()), Duration.ofSeconds(1));
    try (var _ = start(gpus == 1 ? shorter : usual)) {
      await().atMost(LONG).until(() -> usable().size() == gpus);
      long start = System.nanoTime();
      node.hang(0);
      await().atMost(LONG).until(() -> usable().size() == gpus - 1 && !usable().contains(0));
      System.out.printf(
          "hung -> unhealthy: %d ms%n", Duration.ofNanos(System.nanoTime() - start).toMillis());
    }
  }

  @Test
  void managerThatIsHeldForLong_isReportedAsHungDriver() {
    var node = node(2);
    var host = new HostRoot(node.hostRoot());
    var deadline = Duration.ofSeconds(1);
    try (var _ = start(new GpuSettings(host, new HostRoot(node.driverRoot()), deadline))) {
      await().atMost(LONG).until(() -> usable().size() == 2);
      node.holdManager(Duration.ofHours(1));
      await().atMost(LONG).until(() -> usable().isEmpty());
      assertThat(snapshot().health().unhealthy().values())
          .allSatisfy(reason -> assertThat(reason).contains("driver hangs"));
      node.holdManager(Duration.ZERO);
      await().atMost(LONG).until(() -> usable().size() == 2);
    }
  }

  @Test
  void managerThatIsHeldAtTheStart_delaysTheListAndShortensItNever() {
    var node = node(4);
    node.holdManager(Duration.ofSeconds(7));
    assertThatFirstListIsComplete(node);
  }

  /// The driver initializes one GPU after the other.
  @Test
  void gpusWithoutPersistence_areListedTogether() {
    var node = node(4);
    node.withoutPersistence(Duration.ofMillis(1500));
    assertThatFirstListIsComplete(node);
  }

  /// As after each reload of a driver without persistence daemon. A list that lacks some would
  /// withdraw their devices, and publish them again a moment later.
  @Test
  void gpusWithoutPersistence_areListedTogetherAfterAReload() {
    var node = node(4);
    try (var _ = start(Facts.settings(node))) {
      await().atMost(LONG).until(() -> usable().size() == 4);
      node.unloadDriver();
      await().atMost(LONG).until(() -> snapshot() instanceof NodeSnapshot.WithoutDriver);
      node.withoutPersistence(Duration.ofMillis(1500));
      published.clear();
      node.loadDriver();
      await().atMost(LONG).until(() -> usable().size() == 4);
      assertThat(published)
          .filteredOn(NodeSnapshot.WithDriver.class::isInstance)
          .extracting(list -> list.health().unhealthy().values().toString())
          .isNotEmpty()
          .containsOnly("[]");
    }
  }

  private void assertThatFirstListIsComplete(SimulatedNode node) {
    try (var _ = start(Facts.settings(node))) {
      await().atMost(LONG).until(() -> newest.isPresent());
      assertThat(snapshot().inventory().orElseThrow().gpus()).hasSize(4);
      assertThat(usable()).hasSize(4);
    }
  }

  private SimulatedNode node(int gpus) {
    var node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(gpus));
    created = Optional.of(node);
    return node;
  }

  /// Whether the hold is over: a library of this process would wait for it.
  private static boolean isFree(SimulatedNode node) {
    return Facts.inventory(node).unreadable().isEmpty();
  }

  private NodeWatch start(GpuSettings settings) {
    var rules = Optional.of(new HealthRules(Duration.ofMinutes(5)));
    return NodeWatch.start(
        new NodeWatch.Basis(settings, XidPolicy.DEFAULT, rules, Optional.empty()),
        InstantSource.system(),
        snapshot -> {
          published.add(snapshot);
          newest = Optional.of(snapshot);
        });
  }

  private NodeSnapshot snapshot() {
    return newest.orElseThrow();
  }

  private Set<Integer> usable() {
    return newest.stream()
        .flatMap(it -> it.inventory().stream())
        .flatMap(it -> it.gpus().stream())
        .filter(gpu -> snapshot().health().of(gpu).isEmpty())
        .map(Gpu::index)
        .collect(Collectors.toSet());
  }
}
