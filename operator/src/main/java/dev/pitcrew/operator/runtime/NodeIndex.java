package dev.pitcrew.operator.runtime;

import dev.pitcrew.kube.cache.Change;
import io.fabric8.kubernetes.api.model.Node;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// Summaries of all nodes, kept up to date change by change, so that no event costs a pass over all
/// of them.
final class NodeIndex {
  private final Map<String, NodeSummary> summaries = new ConcurrentHashMap<>();

  /// Takes a change in.
  ///
  /// @return whether anything that the policy depends on is different now
  boolean take(Change<Node> change) {
    String name = change.latest().getMetadata().getName();
    if (change instanceof Change.Deleted<Node>) {
      return summaries.remove(name) != null;
    }
    NodeSummary summary = NodeSummary.of(change.latest());
    return !summary.equals(summaries.put(name, summary));
  }

  int gpuNodes() {
    return (int) summaries.values().stream().filter(NodeSummary::gpu).count();
  }

  Collection<NodeSummary> all() {
    return summaries.values();
  }

  /// GPU nodes whose operating system is not known.
  Set<String> unlabelledGpuNodes() {
    return summaries.entrySet().stream()
        .filter(entry -> entry.getValue().gpu() && entry.getValue().pool().isEmpty())
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
