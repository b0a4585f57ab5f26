package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.ObjectWatch;
import dev.pitcrew.agent.cluster.Sighting;
import dev.pitcrew.agent.process.ClusterView.NamedSighting;
import dev.pitcrew.agent.settings.NodeFunction;
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
  private final NamedWatch pluginConfig = new NamedWatch(ClusterView::withPluginConfig);
  private final NamedWatch migConfig = new NamedWatch(ClusterView::withMigConfig);

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

  /// Follows the ConfigMaps that the operator's document names; a concern, since the names may
  /// change.
  Duration follow(Situation situation) {
    pluginConfig.follow(situation.pluginConfigName());
    migConfig.follow(
        situation
            .settings()
            .filter(it -> it.isOn(NodeFunction.MIG))
            .flatMap(it -> it.mig().configMap()));
    return Concern.SETTLED;
  }

  /// The watch of a ConfigMap whose name is said elsewhere.
  private final class NamedWatch implements AutoCloseable {
    private final BiFunction<ClusterView, Optional<NamedSighting>, ClusterView> change;
    private Optional<String> name = Optional.empty();
    private Optional<ObjectWatch> watch = Optional.empty();

    NamedWatch(BiFunction<ClusterView, Optional<NamedSighting>, ClusterView> change) {
      this.change = change;
    }

    void follow(Optional<String> wanted) {
      if (!wanted.equals(name)) {
        close();
        name = wanted;
        board.change(
            now -> now.with(change.apply(now.cluster(), wanted.flatMap(ClusterWatch::impossible))));
        watch = wanted.filter(ObjectPath::isName).map(this::begin);
      }
    }

    private ObjectWatch begin(String named) {
      return start(
          ClusterObjects.configMap(identity, named),
          (view, seen) -> change.apply(view, Optional.of(new NamedSighting(named, seen))));
    }

    @Override
    public void close() {
      watch.ifPresent(ObjectWatch::close);
      watch = Optional.empty();
    }
  }

  /// What can be no ConfigMap's name names none.
  private static Optional<NamedSighting> impossible(String name) {
    return Optional.of(new NamedSighting(name, new Sighting.Absent()))
        .filter(_ -> !ObjectPath.isName(name));
  }

  private ObjectWatch start(
      ObjectPath path, BiFunction<ClusterView, Sighting, ClusterView> change) {
    return ObjectWatch.start(
        server, path, seen -> board.change(now -> now.with(change.apply(now.cluster(), seen))));
  }

  @Override
  public void close() {
    watches.forEach(ObjectWatch::close);
    pluginConfig.close();
    migConfig.close();
  }
}
