package dev.pitcrew.agent.watch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.WatchedObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// The objects of the cluster that the agent watches; an empty one was not seen yet, which is not
/// the same as one that is not there.
///
/// @param configMaps the ConfigMaps that the operator's document names, by their names: which ones
///   these are may change
public record ClusterState(
    Optional<WatchedObject> node,
    Optional<WatchedObject> gpuNode,
    Optional<WatchedObject> agentConfig,
    Map<String, WatchedObject> configMaps) {
  public static final ClusterState NOTHING =
      new ClusterState(Optional.empty(), Optional.empty(), Optional.empty(), Map.of());

  public ClusterState {
    configMaps = Map.copyOf(configMaps);
  }

  /// The Node, where there is one.
  public Optional<JsonNode> nodeObject() {
    return node.flatMap(ClusterState::object);
  }

  public Optional<JsonNode> gpuNodeObject() {
    return gpuNode.flatMap(ClusterState::object);
  }

  /// Whether the operator's document is known not to be there.
  public boolean isDocumentGone() {
    return agentConfig.filter(WatchedObject.Absent.class::isInstance).isPresent();
  }

  public ClusterState withNode(WatchedObject seen) {
    return new ClusterState(Optional.of(NodeMetadata.of(seen)), gpuNode, agentConfig, configMaps);
  }

  public ClusterState withGpuNode(WatchedObject seen) {
    return new ClusterState(node, Optional.of(seen), agentConfig, configMaps);
  }

  public ClusterState withAgentConfig(WatchedObject seen) {
    return new ClusterState(node, gpuNode, Optional.of(seen), configMaps);
  }

  public ClusterState withConfigMap(String name, WatchedObject seen) {
    var all = new HashMap<>(configMaps);
    all.put(name, seen);
    return new ClusterState(node, gpuNode, agentConfig, all);
  }

  public ClusterState withoutConfigMap(String name) {
    var all = new HashMap<>(configMaps);
    all.remove(name);
    return new ClusterState(node, gpuNode, agentConfig, all);
  }

  public static Optional<JsonNode> object(WatchedObject sighting) {
    return switch (sighting) {
      case WatchedObject.Present(var object) -> Optional.of(object);
      case WatchedObject.Absent() -> Optional.empty();
    };
  }
}
