package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Sees each upgrade state that a node goes through, and how many nodes are cordoned at a time.
final class FleetEye implements AutoCloseable {
  private static final String STATE = "nvidia.com/gpu-driver-upgrade-state";
  private static final String DONE = "upgrade-done";

  private final Watch watch;
  private final Map<String, List<String>> states = new HashMap<>();
  private final Set<String> cordoned = new HashSet<>();
  private int mostCordoned;

  private FleetEye(KubernetesClient client) {
    watch = client.nodes().withLabel("nvidia.com/gpu.present", "true").watch(new Eye());
  }

  static FleetEye open(KubernetesClient client) {
    return new FleetEye(client);
  }

  /// Forgets what nodes went through so far.
  synchronized void begin() {
    states.replaceAll((_, seen) -> new ArrayList<>(List.of(seen.getLast())));
    mostCordoned = cordoned.size();
  }

  /// How many nodes are done, and since [#begin] have been through anything before.
  ///
  /// @param again whether they have to have begun since then
  synchronized long done(boolean again) {
    return states.values().stream()
        .filter(seen -> seen.getLast().equals(DONE) && (!again || seen.size() > 1))
        .count();
  }

  /// What a node went through after the state in which it was at [#begin], by its name.
  synchronized Map<String, List<String>> states() {
    var copy = new HashMap<String, List<String>>();
    states.forEach((node, seen) -> copy.put(node, List.copyOf(seen.subList(1, seen.size()))));
    return Map.copyOf(copy);
  }

  synchronized int mostCordoned() {
    return mostCordoned;
  }

  @Override
  public void close() {
    watch.close();
  }

  private synchronized void saw(Node node) {
    var name = node.getMetadata().getName();
    var state = node.getMetadata().getLabels().getOrDefault(STATE, "");
    var seen = states.computeIfAbsent(name, _ -> new ArrayList<>(List.of("")));
    if (!seen.getLast().equals(state)) {
      seen.add(state);
    }
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      cordoned.add(name);
    } else {
      cordoned.remove(name);
    }
    mostCordoned = Math.max(mostCordoned, cordoned.size());
  }

  private final class Eye implements Watcher<Node> {
    @Override
    public void eventReceived(Action action, Node node) {
      if (action == Action.ADDED || action == Action.MODIFIED) {
        saw(node);
      }
    }

    @Override
    public void onClose(WatcherException cause) {
      throw new TestbedException("the watch of the nodes has ended", cause);
    }
  }
}
