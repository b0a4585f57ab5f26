package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.Sighting;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The objects of the cluster that the agent watches; an empty one was not seen yet, which is not
/// the same as one that is not there.
///
/// @param configMaps the ConfigMaps that the operator's document names, by their names: which ones
///   these are may change
record ClusterView(
    Optional<Sighting> node,
    Optional<Sighting> gpuNode,
    Optional<Sighting> agentConfig,
    Map<String, Sighting> configMaps) {
  static final ClusterView NOTHING =
      new ClusterView(Optional.empty(), Optional.empty(), Optional.empty(), Map.of());

  ClusterView {
    configMaps = Map.copyOf(configMaps);
  }

  /// The Node, where there is one.
  Optional<JsonNode> nodeObject() {
    return node.flatMap(ClusterView::object);
  }

  Optional<JsonNode> gpuNodeObject() {
    return gpuNode.flatMap(ClusterView::object);
  }

  /// Whether the operator's document is known not to be there.
  boolean isDocumentGone() {
    return agentConfig.filter(Sighting.Absent.class::isInstance).isPresent();
  }

  ClusterView withNode(Sighting seen) {
    return new ClusterView(Optional.of(NodeMetadata.of(seen)), gpuNode, agentConfig, configMaps);
  }

  ClusterView withGpuNode(Sighting seen) {
    return new ClusterView(node, Optional.of(seen), agentConfig, configMaps);
  }

  ClusterView withAgentConfig(Sighting seen) {
    return new ClusterView(node, gpuNode, Optional.of(seen), configMaps);
  }

  ClusterView withConfigMap(String name, Sighting seen) {
    var all = new HashMap<>(configMaps);
    all.put(name, seen);
    return new ClusterView(node, gpuNode, agentConfig, all);
  }

  ClusterView withoutConfigMap(String name) {
    var all = new HashMap<>(configMaps);
    all.remove(name);
    return new ClusterView(node, gpuNode, agentConfig, all);
  }

  static Optional<JsonNode> object(Sighting sighting) {
    return switch (sighting) {
      case Sighting.Present(var object) -> Optional.of(object);
      case Sighting.Absent() -> Optional.empty();
    };
  }
}
