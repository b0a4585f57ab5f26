package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.ObjectWatch;
import dev.pitcrew.agent.cluster.Sighting;
import dev.pitcrew.agent.process.ClusterView.NamedSighting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/// Watches the objects of the cluster that concern this node, and no other.
final class ClusterWatch implements AutoCloseable {
  private final ApiServer server;
  private final AgentPlace.Identity identity;
  private final Board board;
  private final List<ObjectWatch> watches;
  private Optional<String> pluginConfigName = Optional.empty();
  private Optional<ObjectWatch> pluginConfig = Optional.empty();

  private ClusterWatch(ApiServer server, AgentPlace.Identity identity, Board board) {
    this.server = server;
    this.identity = identity;
    this.board = board;
    this.watches =
        List.of(
            start(ClusterObjects.node(identity), ClusterView::withNode),
            start(ClusterObjects.gpuNode(identity), ClusterView::withGpuNode),
            start(
                ClusterObjects.configMap(identity, identity.configMap()),
                ClusterView::withAgentConfig));
  }

  static ClusterWatch start(ApiServer server, AgentPlace.Identity identity, Board board) {
    return new ClusterWatch(server, identity, board);
  }

  /// Follows the ConfigMap that the operator's document names; a concern, since the name may
  /// change.
  Duration follow(Situation situation) {
    Optional<String> wanted = situation.pluginConfigName();
    if (!wanted.equals(pluginConfigName)) {
      pluginConfig.ifPresent(ObjectWatch::close);
      pluginConfigName = wanted;
      board.change(now ->
          now.with(now.cluster().withPluginConfig(wanted.flatMap(ClusterWatch::impossible))));
      pluginConfig = wanted.filter(ObjectPath::isName).map(this::startPluginConfig);
    }
    return Concern.SETTLED;
  }

  /// What can be no ConfigMap's name names none.
  private static Optional<NamedSighting> impossible(String name) {
    return Optional.of(new NamedSighting(name, new Sighting.Absent()))
        .filter(_ -> !ObjectPath.isName(name));
  }

  private ObjectWatch startPluginConfig(String name) {
    return start(
        ClusterObjects.configMap(identity, name),
        (view, seen) -> view.withPluginConfig(Optional.of(new NamedSighting(name, seen))));
  }

  private ObjectWatch start(
      ObjectPath path, BiFunction<ClusterView, Sighting, ClusterView> change) {
    return ObjectWatch.start(
        server, path, seen -> board.change(now -> now.with(change.apply(now.cluster(), seen))));
  }

  @Override
  public void close() {
    watches.forEach(ObjectWatch::close);
    pluginConfig.ifPresent(ObjectWatch::close);
  }
}
