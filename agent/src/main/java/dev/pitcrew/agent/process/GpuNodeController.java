package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.Happening;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Sighting;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.status.NodeEvent;
import dev.pitcrew.agent.status.StatusApply;
import dev.pitcrew.agent.status.Transitions;
import dev.pitcrew.api.node.GpuNodeStatus;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the GPUNode up to date with the node, and reports changes as Events.
final class GpuNodeController implements Controller {
  private static final Logger LOG = LoggerFactory.getLogger(GpuNodeController.class);

  /// The pace of Events must not hold up the status for longer.
  private static final Duration FOR_EVENTS = Duration.ofSeconds(1);

  /// An unloaded driver is reported together with the cause, which is about to be found.
  private static final Duration FOR_THE_CAUSE = Duration.ofSeconds(2);

  private final AgentContext place;
  private final ApiServer server;
  private final Events events;
  private final StateStore board;
  private final ReportCache latest;
  private final ObjectPath path;
  private Optional<NodeSnapshot> waitedFor = Optional.empty();
  private final WriteRetry writes = new WriteRetry(LOG, "the GPUNode");

  GpuNodeController(
      AgentContext place, ApiServer server, Events events, StateStore board, ReportCache latest) {
    this.place = place;
    this.server = server;
    this.events = events;
    this.board = board;
    this.latest = latest;
    this.path = NodeObjects.gpuNode(place.identity());
  }

  @Override
  public Duration act(NodeState situation) throws InterruptedException {
    ClusterState cluster = situation.cluster();
    boolean isKnown = cluster.nodeObject().isPresent() && cluster.gpuNode().isPresent();
    if (!isKnown || situation.settings().isEmpty() || isIdle(situation)) {
      return SETTLED;
    }
    if (!ValidationController.isOf(situation) && !waitedFor.equals(situation.snapshot())) {
      waitedFor = situation.snapshot();
      return FOR_THE_CAUSE;
    }
    Optional<JsonNode> live = cluster.gpuNodeObject();
    return live.isPresent() ? report(situation, live.get()) : create(cluster.nodeObject().get());
  }

  /// A node that never had a GPU needs no GPUNode.
  private static boolean isIdle(NodeState situation) {
    boolean hasGpu = situation.host().filter(HostState::hasGpu).isPresent();
    return !hasGpu && situation.cluster().gpuNodeObject().isEmpty();
  }

  private Duration create(JsonNode node) {
    JsonNode body = StatusApply.create(place.identity().node(), node.at("/metadata/uid").asText());
    return seen(writes.written(server.create(path, body, WriteRetry.DEADLINE)));
  }

  private Duration report(NodeState situation, JsonNode live) throws InterruptedException {
    GpuNodeStatus before = StatusApply.read(Optional.of(live));
    GpuNodeStatus wanted = latest.of(situation);
    Optional<JsonNode> body =
        StatusApply.status(place.identity().node(), Optional.of(live), wanted);
    if (body.isEmpty()) {
      return SETTLED;
    }
    // Before the status is written: after a kill in between, the same Event is reported again.
    String occurrence = live.at("/metadata/uid").asText() + version(live);
    Transitions.of(before, wanted).forEach(event -> tell(event, situation, occurrence));
    if (!events.awaitTold(FOR_EVENTS)) {
      LOG.atDebug().log("Events are reported after the status of the GPUNode");
    }
    return seen(writes.written(server.apply(path.status(), body.get(), WriteRetry.DEADLINE)));
  }

  private static String version(JsonNode live) {
    return live.at("/metadata/resourceVersion").asText();
  }

  private Duration seen(Optional<JsonNode> written) {
    written.ifPresent(object ->
        board.change(now -> now.with(now.cluster().withGpuNode(new Sighting.Present(object)))));
    return written.isPresent() ? SETTLED : writes.pause();
  }

  private void tell(NodeEvent event, NodeState situation, String occurrence) {
    Happening.Type type =
        switch (event.type()) {
          case NORMAL -> Happening.Type.NORMAL;
          case WARNING -> Happening.Type.WARNING;
        };
    situation
        .cluster()
        .nodeObject()
        .map(Happening.Subject::of)
        .ifPresent(node ->
            events.tell(new Happening(node, type, event.reason(), event.note()), occurrence));
  }
}
