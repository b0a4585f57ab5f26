package dev.pitcrew.agent.node;

import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.plugin.Facts;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// A simulated node whose resource manager is held for 0.3 to 5 s, is free for up to 3 s, is held
/// again, and so on; and what a watch of it reports.
final class LoadedNode implements AutoCloseable {
  static final int GPUS = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final SimulatedNode node;
  private final Random random;
  private final Queue<NodeSnapshot> snapshots = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOn = new AtomicBoolean(true);
  private final AtomicInteger holds = new AtomicInteger();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  LoadedNode(Path folder, long seed) {
    node = SimulatedNode.create(folder, SimulatedNodeOptions.of("h100").withGpus(GPUS));
    random = new Random(seed);
    threads.execute(this::load);
  }

  SimulatedNode node() {
    return node;
  }

  int holds() {
    return holds.get();
  }

  /// Starts a watch that knows nothing of an earlier one, and returns it once all GPUs are usable.
  NodeWatch watch() {
    snapshots.clear();
    var rules = Optional.of(new HealthRules(Duration.ofMinutes(5)));
    var watch =
        NodeWatch.start(
            new NodeWatch.Basis(Facts.settings(node), XidPolicy.DEFAULT, rules, Optional.empty()),
            InstantSource.system(),
            snapshots::add);
    await().atMost(LIMIT).until(() -> !snapshots.isEmpty() && unusable(newest()).isEmpty());
    return watch;
  }

  /// All snapshots of the newest watch.
  List<NodeSnapshot> snapshots() {
    return List.copyOf(snapshots);
  }

  NodeSnapshot newest() {
    return snapshots().getLast();
  }

  /// The indices of the GPUs that the kubelet gets as unhealthy.
  static List<Integer> unusable(NodeSnapshot snapshot) {
    return snapshot.inventory().stream()
        .flatMap(it -> it.gpus().stream())
        .filter(gpu -> snapshot.health().of(gpu).isPresent())
        .map(Gpu::index)
        .toList();
  }

  private void load() {
    while (isOn.get()) {
      Duration hold = Duration.ofMillis(random.nextLong(300, 5000));
      node.holdManager(hold);
      holds.incrementAndGet();
      Duration pause = hold.plusMillis(random.nextLong(100, 3000));
      long end = System.nanoTime() + pause.toNanos();
      await().atMost(LIMIT).until(() -> !isOn.get() || System.nanoTime() - end >= 0);
    }
  }

  @Override
  public void close() {
    isOn.set(false);
    threads.close();
    node.holdManager(Duration.ZERO);
    node.gpus().forEach(gpu -> node.release(gpu.index()));
  }
}
