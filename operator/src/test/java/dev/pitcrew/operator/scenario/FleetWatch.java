package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Nodes and driver pods as two watches report them, and the most nodes that were out of service at
/// the same time. Every question fails once a watch has ended on its own, since its answer would be
/// stale.
final class FleetWatch implements AutoCloseable {
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<String, Pod> drivers = new HashMap<>();
  private final Watch nodeWatch;
  private final Watch driverWatch;
  private @Nullable WatcherException failure;
  private int mostCordoned;
  private int mostDown;

  FleetWatch(KubernetesClient client) {
    this.nodeWatch = client.nodes().watch(new Recorder<>(this::sawNode));
    this.driverWatch =
        client
            .pods()
            .inNamespace(Scene.NAMESPACE)
            .withLabels(DriverPods.DRIVER)
            .watch(new Recorder<>(this::sawDriver));
  }

  /// Counts from what is out of service now.
  synchronized void begin() {
    mostCordoned = 0;
    mostDown = 0;
    count();
  }

  /// The most nodes that were cordoned at the same time.
  synchronized int mostCordoned() {
    requireWatching();
    return mostCordoned;
  }

  /// The most nodes that were cordoned or not Ready at the same time.
  synchronized int mostDown() {
    requireWatching();
    return mostDown;
  }

  synchronized List<Node> nodes() {
    requireWatching();
    return List.copyOf(nodes.values());
  }

  /// Those that have a node.
  synchronized List<Pod> drivers() {
    requireWatching();
    return drivers.values().stream().filter(pod -> pod.getSpec().getNodeName() != null).toList();
  }

  /// Whether the watch has reported this version of a node, or a later one.
  synchronized boolean hasSeen(Node written) {
    requireWatching();
    return Optional.ofNullable(nodes.get(written.getMetadata().getName()))
        .filter(seen -> version(seen) >= version(written))
        .isPresent();
  }

  private static long version(Node node) {
    return Long.parseLong(node.getMetadata().getResourceVersion());
  }

  private void requireWatching() {
    if (failure != null) {
      throw new IllegalStateException("a watch of the fleet has ended", failure);
    }
  }

  private synchronized void sawNode(Watcher.Action action, Node node) {
    keep(nodes, node.getMetadata().getName(), action, node);
    count();
  }

  private synchronized void sawDriver(Watcher.Action action, Pod pod) {
    keep(drivers, pod.getMetadata().getUid(), action, pod);
  }

  private static <T> void keep(Map<String, T> objects, String key, Watcher.Action action, T now) {
    if (action == Watcher.Action.DELETED) {
      objects.remove(key);
    } else {
      objects.put(key, now);
    }
  }

  private void count() {
    int cordoned = (int) nodes.values().stream().filter(FleetWatch::isCordoned).count();
    int down = (int) nodes.values().stream().filter(it -> isCordoned(it) || !isReady(it)).count();
    mostCordoned = Math.max(mostCordoned, cordoned);
    mostDown = Math.max(mostDown, down);
  }

  private static boolean isCordoned(Node node) {
    return Boolean.TRUE.equals(node.getSpec().getUnschedulable());
  }

  private static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(it -> "Ready".equals(it.getType()) && "True".equals(it.getStatus()));
  }

  private synchronized void ended(WatcherException cause) {
    failure = cause;
  }

  @Override
  public void close() {
    try (var _ = nodeWatch;
        var _ = driverWatch) {
      // Both are closed, whatever one of them throws.
    }
  }

  private final class Recorder<T extends HasMetadata> implements Watcher<T> {
    private final BiConsumer<Action, T> consumer;

    private Recorder(BiConsumer<Action, T> consumer) {
      this.consumer = consumer;
    }

    @Override
    public void eventReceived(Action action, T object) {
      consumer.accept(action, object);
    }

    @Override
    public void onClose(WatcherException cause) {
      ended(cause);
    }
  }
}
