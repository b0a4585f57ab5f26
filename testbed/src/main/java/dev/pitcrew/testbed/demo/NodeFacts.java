package dev.pitcrew.testbed.demo;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// What the cluster knows of one real node now.
record NodeFacts(LiveCluster cluster, String name) {
  private static final String GPU = "nvidia.com/gpu";
  private static final String NONE = "-";

  /// The value of a label below `nvidia.com/`.
  String label(String key) {
    return node()
        .map(node -> node.getMetadata().getLabels().getOrDefault("nvidia.com/" + key, NONE))
        .orElse(NONE);
  }

  Map<String, String> labels() {
    return node().map(node -> node.getMetadata().getLabels()).orElse(Map.of());
  }

  /// How many GPUs the scheduler may give away, `-` where the kubelet knows none.
  String allocatable() {
    return allocatable(GPU);
  }

  /// The same of another resource.
  String allocatable(String resource) {
    return node()
        .map(node -> node.getStatus().getAllocatable())
        .map(all -> Objects.requireNonNullElse(all.get(resource), new Quantity(NONE)).getAmount())
        .orElse(NONE);
  }

  GpuNodeView gpuNode() {
    return cluster.gpuNode(name);
  }

  private Optional<Node> node() {
    return cluster.node(name);
  }
}
