package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.Sighting;
import java.util.Optional;

/// The objects of the cluster that the agent watches; an empty one was not seen yet, which is not
/// the same as one that is not there.
///
/// @param pluginConfig the ConfigMap of device plugin configurations, with its name: which one that
///   is may change
/// @param migConfig the ConfigMap of MIG layouts, likewise
record ClusterView(
    Optional<Sighting> node,
    Optional<Sighting> gpuNode,
    Optional<Sighting> agentConfig,
    Optional<NamedSighting> pluginConfig,
    Optional<NamedSighting> migConfig) {
  static final ClusterView NOTHING =
      new ClusterView(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  record NamedSighting(String name, Sighting sighting) {}

  /// The Node, where there is one.
  Optional<JsonNode> nodeObject() {
    return node.flatMap(ClusterView::object);
  }

  Optional<JsonNode> gpuNodeObject() {
    return gpuNode.flatMap(ClusterView::object);
  }

  ClusterView withNode(Sighting seen) {
    return new ClusterView(
        Optional.of(NodeMetadata.of(seen)), gpuNode, agentConfig, pluginConfig, migConfig);
  }

  ClusterView withGpuNode(Sighting seen) {
    return new ClusterView(node, Optional.of(seen), agentConfig, pluginConfig, migConfig);
  }

  ClusterView withAgentConfig(Sighting seen) {
    return new ClusterView(node, gpuNode, Optional.of(seen), pluginConfig, migConfig);
  }

  ClusterView withPluginConfig(Optional<NamedSighting> seen) {
    return new ClusterView(node, gpuNode, agentConfig, seen, migConfig);
  }

  ClusterView withMigConfig(Optional<NamedSighting> seen) {
    return new ClusterView(node, gpuNode, agentConfig, pluginConfig, seen);
  }

  static Optional<JsonNode> object(Sighting sighting) {
    return switch (sighting) {
      case Sighting.Present(var object) -> Optional.of(object);
      case Sighting.Absent() -> Optional.empty();
    };
  }
}
