package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.ObjectWatch;
import dev.pitcrew.agent.cluster.Sighting;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/// Watches the objects of the cluster that concern this node, and no other.
final class ClusterWatch implements AutoCloseable {
  private final ApiServer server;
  private final AgentContext.Identity identity;
  private final StateStore board;
  private final List<ObjectWatch> watches;

  /// Those of ConfigMaps, by name; empty for what can be no ConfigMap's name.
  private final Map<String, Optional<ObjectWatch>> configMaps = new HashMap<>();

  private ClusterWatch(ApiServer server, AgentContext.Identity identity, StateStore board) {
    this.server = server;
    this.identity = identity;
    this.board = board;
    this.watches =
        List.of(
            start(NodeObjects.node(identity), ClusterState::withNode),
            start(NodeObjects.gpuNode(identity), ClusterState::withGpuNode),
            start(
                NodeObjects.configMap(identity, identity.configMap()),
                ClusterState::withAgentConfig));
  }

  static ClusterWatch start(ApiServer server, AgentContext.Identity identity, StateStore board) {
    return new ClusterWatch(server, identity, board);
  }

  /// Follows the ConfigMaps that the operator's document names; a concern, since the names may
  /// change.
  Duration follow(NodeState situation) {
    Set<String> wanted = situation.configMapNames();
    Map.copyOf(configMaps)
        .forEach((name, watch) -> {
          if (!wanted.contains(name)) {
            watch.ifPresent(ObjectWatch::close);
            configMaps.remove(name);
            board.change(now -> now.with(now.cluster().withoutConfigMap(name)));
          }
        });
    for (String name : wanted) {
      configMaps.computeIfAbsent(name, this::startConfigMap);
    }
    return Controller.SETTLED;
  }

  private Optional<ObjectWatch> startConfigMap(String name) {
    if (!ObjectPath.isName(name)) {
      // It names none.
      board.change(now -> now.with(now.cluster().withConfigMap(name, new Sighting.Absent())));
      return Optional.empty();
    }
    return Optional.of(
        start(
            NodeObjects.configMap(identity, name), (view, seen) -> view.withConfigMap(name, seen)));
  }

  private ObjectWatch start(
      ObjectPath path, BiFunction<ClusterState, Sighting, ClusterState> change) {
    return ObjectWatch.start(
        server, path, seen -> board.change(now -> now.with(change.apply(now.cluster(), seen))));
  }

  @Override
  public void close() {
    watches.forEach(ObjectWatch::close);
    configMaps.values().forEach(it -> it.ifPresent(ObjectWatch::close));
  }
}
