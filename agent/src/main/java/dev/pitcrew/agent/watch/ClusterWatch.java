package dev.pitcrew.agent.watch;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.ObjectWatch;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.NodeObjects;
import dev.pitcrew.agent.control.Controller;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// Watches the objects of the cluster that concern this node, and no other.
public final class ClusterWatch implements AutoCloseable {
  private final ApiServer server;
  private final AgentContext.Identity identity;
  private final Consumer<UnaryOperator<ClusterState>> updates;
  private final List<ObjectWatch> watches;

  /// Those of ConfigMaps, by name; empty for what can be no ConfigMap's name.
  private final Map<String, Optional<ObjectWatch>> configMaps = new HashMap<>();

  private ClusterWatch(
      ApiServer server,
      AgentContext.Identity identity,
      Consumer<UnaryOperator<ClusterState>> updates) {
    this.server = server;
    this.identity = identity;
    this.updates = updates;
    this.watches =
        List.of(
            start(NodeObjects.node(identity), ClusterState::withNode),
            start(NodeObjects.gpuNode(identity), ClusterState::withGpuNode),
            start(
                NodeObjects.configMap(identity, identity.configMap()),
                ClusterState::withAgentConfig));
  }

  public static ClusterWatch start(
      ApiServer server,
      AgentContext.Identity identity,
      Consumer<UnaryOperator<ClusterState>> updates) {
    return new ClusterWatch(server, identity, updates);
  }

  /// Watches the ConfigMaps that the operator's document names; a controller, since the names may
  /// change.
  public Duration follow(Set<String> wanted) {
    Map.copyOf(configMaps)
        .forEach((name, watch) -> {
          if (!wanted.contains(name)) {
            watch.ifPresent(ObjectWatch::close);
            configMaps.remove(name);
            updates.accept(now -> now.withoutConfigMap(name));
          }
        });
    for (String name : wanted) {
      configMaps.computeIfAbsent(name, this::startConfigMap);
    }
    return Controller.RESYNC;
  }

  private Optional<ObjectWatch> startConfigMap(String name) {
    if (!ObjectPath.isName(name)) {
      // It names none.
      updates.accept(now -> now.withConfigMap(name, new WatchedObject.Absent()));
      return Optional.empty();
    }
    return Optional.of(
        start(
            NodeObjects.configMap(identity, name), (view, seen) -> view.withConfigMap(name, seen)));
  }

  private ObjectWatch start(
      ObjectPath path, BiFunction<ClusterState, WatchedObject, ClusterState> change) {
    return ObjectWatch.start(server, path, seen -> updates.accept(now -> change.apply(now, seen)));
  }

  @Override
  public void close() {
    watches.forEach(ObjectWatch::close);
    configMaps.values().forEach(it -> it.ifPresent(ObjectWatch::close));
  }
}
