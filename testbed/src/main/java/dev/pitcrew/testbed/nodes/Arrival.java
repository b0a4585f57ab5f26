package dev.pitcrew.testbed.nodes;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// Waits for nodes to take pods: every new node is tainted as not ready until the node controller
/// has seen its condition. One look per event, so that thousands of nodes cost no more than that.
final class Arrival implements ResourceEventHandler<Node> {
  private final Set<String> awaited = ConcurrentHashMap.newKeySet();
  private final CountDownLatch complete = new CountDownLatch(1);

  private Arrival(Collection<String> names) {
    awaited.addAll(names);
  }

  /// The names of the nodes that did not arrive within `limit`.
  static Set<String> missing(KubernetesClient client, Collection<String> names, Duration limit)
      throws InterruptedException {
    var arrival = new Arrival(names);
    if (!names.isEmpty()) {
      try (var _ = client.nodes().inform(arrival)) {
        var _ = arrival.complete.await(limit.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    return Set.copyOf(arrival.awaited);
  }

  @Override
  public void onAdd(Node node) {
    look(node);
  }

  @Override
  public void onUpdate(Node before, Node node) {
    look(node);
  }

  @Override
  public void onDelete(Node node, boolean isStateUnknown) {
    // A node that goes before it came stays missing.
  }

  private void look(Node node) {
    var isTainted =
        node.getSpec().getTaints().stream()
            .anyMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"));
    if (!isTainted && awaited.remove(node.getMetadata().getName()) && awaited.isEmpty()) {
      complete.countDown();
    }
  }
}
