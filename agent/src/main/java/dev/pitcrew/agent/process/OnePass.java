package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.Sighting;
import dev.pitcrew.agent.features.FeatureFacts;
import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.host.HostSigns;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Makes the labels, the GPUNode and the marks of a node without a GPU what they should be, once:
/// what the agent wrote while there was one goes. Nothing is offered, and NVML is not opened.
public final class OnePass {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  private final AgentPlace place;
  private final ApiServer server;
  private final Board board;

  private OnePass(AgentPlace place, ApiServer server) {
    this.place = place;
    this.server = server;
    this.board =
        new Board(() -> Situation.UNKNOWN, now -> Conclusion.of(now, place.identity().namespace()));
  }

  /// @return why it could not be done; empty if it was
  public static Optional<String> over(AgentPlace place) throws InterruptedException {
    try (var server = ApiServer.of(place.credentials());
        var events = Events.start(server, place.identity().pod(), place.clock())) {
      return new OnePass(place, server).run(events);
    }
  }

  private Optional<String> run(Events events) throws InterruptedException {
    look(ClusterObjects.node(place.identity()), ClusterView::withNode);
    HostView host = host(board.now().cluster().nodeObject());
    board.change(now -> now.with(host));
    look(ClusterObjects.gpuNode(place.identity()), ClusterView::withGpuNode);
    look(
        ClusterObjects.configMap(place.identity(), place.identity().configMap()),
        ClusterView::withAgentConfig);
    // Which devices would be offered does not count where there is none.
    for (String name : board.now().configMapNames()) {
      board.change(now -> now.with(now.cluster().withConfigMap(name, new Sighting.Absent())));
    }
    if (board.now().decision().isEmpty() || board.now().cluster().gpuNode().isEmpty()) {
      return Optional.of("the API server did not report what this node should have");
    }
    var report = new LatestReport(place);
    boolean isDone =
        isSettled(new LabelNode(place, server))
            && isSettled(new ReportGpuNode(place, server, events, board, report))
            && new MarkNode(place, server, report).takeBack(false);
    return isDone ? Optional.empty() : Optional.of("the API server did not take the labels");
  }

  /// A GPU is absent only briefly after a reset or during a rescan of the bus.
  private HostView host(Optional<JsonNode> node) throws InterruptedException {
    HostView host = HostView.of(features(), signs(), node.map(HostView::labelled));
    while (host.isDoubtful()) {
      TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS.toMillis());
      host = HostView.of(features(), signs(), Optional.of(host));
    }
    return host;
  }

  private FeatureFacts features() {
    return HostFacts.features(place.host());
  }

  private HostSigns signs() {
    return HostSigns.of(place.host());
  }

  private boolean isSettled(Concern concern) throws InterruptedException {
    return concern.act(board.now()).equals(Concern.SETTLED);
  }

  @FunctionalInterface
  private interface Change {
    ClusterView with(ClusterView view, Sighting seen);
  }

  private void look(ObjectPath path, Change change) {
    Optional<Sighting> seen =
        switch (server.get(path, Writes.DEADLINE)) {
          case Reply.Done(var object) -> Optional.of(new Sighting.Present(object));
          case Reply.Refused(int status, _, _, _, _)
              when status == HttpURLConnection.HTTP_NOT_FOUND ->
              Optional.of(new Sighting.Absent());
          case Reply.Refused _, Reply.Unanswered _ -> Optional.empty();
        };
    seen.ifPresent(it -> board.change(now -> now.with(change.with(now.cluster(), it))));
  }
}
