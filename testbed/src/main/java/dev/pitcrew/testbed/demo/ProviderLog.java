package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/// Who provides the GPUs of each node over time, as the API server shows it at each change.
final class ProviderLog {
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String AGENT = "pitcrew-agent";
  private static final String LABEL = "gpu.deploy.device-plugin";
  private static final String NONE = "-";

  private final LiveCluster cluster;
  private final List<String> nodes;
  private final Stopwatch watch = Stopwatch.start();
  private final Map<String, State> last = new LinkedHashMap<>();
  private final List<Change> changes = new ArrayList<>();

  /// A node at one moment.
  ///
  /// @param allocatable how many GPUs the scheduler may give away
  /// @param plugin NVIDIA's device plugin: `ready`, `starts`, `ends` or `-`
  /// @param agent the same of our agent
  /// @param label of the operand
  record State(String allocatable, String plugin, String agent, String label) {
    boolean hasGpus() {
      return !allocatable.equals("0") && !allocatable.equals(NONE);
    }
  }

  /// @param millis since the beginning
  record Change(long millis, String node, State state) {}

  /// @param nodes with GPUs, sorted
  ProviderLog(LiveCluster cluster, List<String> nodes) {
    this.cluster = cluster;
    this.nodes = List.copyOf(nodes);
  }

  /// Notes what has changed since the last call.
  void look() {
    for (var node : nodes) {
      var now = state(node);
      if (!now.equals(last.put(node, now))) {
        changes.add(new Change(watch.elapsed().toMillis(), node, now));
      }
    }
  }

  private State state(String node) {
    var facts = new NodeFacts(cluster, node);
    return new State(facts.allocatable(), pod(node, PLUGIN), pod(node, AGENT), facts.label(LABEL));
  }

  private String pod(String node, String app) {
    return cluster.pods().stream()
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .filter(pod -> app.equals(pod.getMetadata().getLabels().get("app")))
        .map(ProviderLog::phase)
        .min(String::compareTo)
        .orElse(NONE);
  }

  private static String phase(Pod pod) {
    if (pod.getMetadata().getDeletionTimestamp() != null) {
      return "ends";
    }
    return Readiness.isPodReady(pod) ? "ready" : "starts";
  }

  boolean isServedBy(boolean byAgent) {
    return nodes.stream()
        .map(node -> Objects.requireNonNull(last.get(node), node))
        .allMatch(state ->
            (byAgent ? state.agent() : state.plugin()).equals("ready")
                && (byAgent ? state.plugin() : NONE).equals(NONE)
                && state.label().equals("true")
                && state.hasGpus());
  }

  /// Nodes on which no pod of either provider was ready at some moment.
  List<String> withoutProvider() {
    return changes.stream()
        .filter(change ->
            Stream.of(change.state().plugin(), change.state().agent()).noneMatch("ready"::equals))
        .map(Change::node)
        .distinct()
        .toList();
  }

  /// For how long each node had no GPU to give away, in milliseconds; without those that always
  /// had.
  Map<String, Long> withoutGpus() {
    var gaps = new LinkedHashMap<String, Long>();
    for (var node : nodes) {
      long since = -1;
      for (var change : changes.stream().filter(it -> it.node().equals(node)).toList()) {
        if (!change.state().hasGpus() && since < 0) {
          since = change.millis();
        } else if (change.state().hasGpus() && since >= 0) {
          gaps.merge(node, change.millis() - since, Long::sum);
          since = -1;
        }
      }
      if (since >= 0) {
        gaps.merge(node, watch.elapsed().toMillis() - since, Long::sum);
      }
    }
    return gaps;
  }

  Table table() {
    return Table.of(
        List.of("TIME", "NODE", "ALLOCATABLE", "DEVICE PLUGIN", "AGENT", "LABEL " + LABEL),
        changes.stream()
            .map(change ->
                List.of(
                    String.format(Locale.ROOT, "%.1f s", change.millis() / 1000.0),
                    change.node(),
                    change.state().allocatable(),
                    change.state().plugin(),
                    change.state().agent(),
                    change.state().label())));
  }
}
