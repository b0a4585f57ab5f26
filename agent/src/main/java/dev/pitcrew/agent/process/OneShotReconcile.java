package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.NodeObjects;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.host.HostSigns;
import dev.pitcrew.agent.labels.LabelController;
import dev.pitcrew.agent.labels.plan.FeatureFacts;
import dev.pitcrew.agent.status.GpuNodeController;
import dev.pitcrew.agent.status.ReportCache;
import dev.pitcrew.agent.unhealthy.TaintController;
import dev.pitcrew.agent.watch.ClusterState;
import dev.pitcrew.agent.watch.HostState;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// Makes the labels, the GPUNode and the marks of a node without a GPU what they should be, once:
/// what the agent wrote while there was one goes. Nothing is offered, and NVML is not opened.
public final class OneShotReconcile {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  private final AgentContext context;
  private final ApiServer server;
  private final NodeStore store;

  private OneShotReconcile(AgentContext context, ApiServer server) {
    this.context = context;
    this.server = server;
    this.store =
        new NodeStore(
            () -> NodeState.UNKNOWN,
            now -> SettingsResolver.of(now, context.identity().namespace()));
  }

  /// @return why it could not be done; empty if it was
  public static Optional<String> over(AgentContext context) throws InterruptedException {
    try (var server = ApiServer.of(context.credentials());
        var events = Events.start(server, context.identity().pod(), context.clock())) {
      return new OneShotReconcile(context, server).run(events);
    }
  }

  private Optional<String> run(Events events) throws InterruptedException {
    look(NodeObjects.node(context.identity()), ClusterState::withNode);
    HostState host = host(store.now().cluster().nodeObject());
    store.update(now -> now.with(host));
    look(NodeObjects.gpuNode(context.identity()), ClusterState::withGpuNode);
    look(
        NodeObjects.configMap(context.identity(), context.identity().configMap()),
        ClusterState::withAgentConfig);
    // Which devices would be offered does not count where there is none.
    for (String name : store.now().configMapNames()) {
      store.update(now -> now.with(now.cluster().withConfigMap(name, new WatchedObject.Absent())));
    }
    if (store.now().decision().isEmpty() || store.now().cluster().gpuNode().isEmpty()) {
      return Optional.of("the API server did not report what this node should have");
    }
    var report = new ReportCache(context);
    boolean isDone =
        isSettled(new LabelController(context, server), Projections::labels)
            && isSettled(
                new GpuNodeController(context, server, events, store::gpuNode, report),
                Projections::gpuNode)
            && new TaintController(context, server, report).removeAll(false);
    return isDone ? Optional.empty() : Optional.of("the API server did not take the labels");
  }

  /// A GPU is absent only briefly after a reset or during a rescan of the bus.
  private HostState host(Optional<JsonNode> node) throws InterruptedException {
    HostState host = HostState.of(features(), signs(), node.map(HostState::labelled));
    while (host.isDoubtful()) {
      TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS.toMillis());
      host = HostState.of(features(), signs(), Optional.of(host));
    }
    return host;
  }

  private FeatureFacts features() {
    return HostFacts.features(context.host());
  }

  private HostSigns signs() {
    return HostSigns.of(context.host());
  }

  private <I> boolean isSettled(
      Controller<I> controller, Function<NodeState, Optional<I>> projection)
      throws InterruptedException {
    Optional<I> input = projection.apply(store.now());
    return input.isEmpty() || controller.reconcile(input.get()).equals(Controller.RESYNC);
  }

  @FunctionalInterface
  private interface Change {
    ClusterState with(ClusterState view, WatchedObject seen);
  }

  private void look(ObjectPath path, Change change) {
    Optional<WatchedObject> seen =
        switch (server.get(path, WriteRetry.DEADLINE)) {
          case Reply.Done(var object) -> Optional.of(new WatchedObject.Present(object));
          case Reply.Refused(int status, _, _, _, _)
              when status == HttpURLConnection.HTTP_NOT_FOUND ->
              Optional.of(new WatchedObject.Absent());
          case Reply.Refused _, Reply.Unanswered _ -> Optional.empty();
        };
    seen.ifPresent(it -> store.update(now -> now.with(change.with(now.cluster(), it))));
  }
}
