package dev.pitcrew.agent.status;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.NodeObjects;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.status.plan.NodeEvent;
import dev.pitcrew.agent.status.plan.StatusApply;
import dev.pitcrew.agent.status.plan.Transitions;
import dev.pitcrew.api.node.GpuNodeStatus;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps the GPUNode up to date with the node, and reports changes as Events.
public final class GpuNodeController implements Controller<GpuNodeController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(GpuNodeController.class);

  /// The pace of Events must not hold up the status for longer.
  private static final Duration FOR_EVENTS = Duration.ofSeconds(1);

  /// An unloaded driver is reported together with the cause, which is about to be found.
  private static final Duration FOR_THE_CAUSE = Duration.ofSeconds(2);

  private final AgentContext context;
  private final ApiServer server;
  private final Events events;
  private final Consumer<JsonNode> written;
  private final ReportCache latest;
  private final ObjectPath path;
  private Optional<NodeSnapshot> waitedFor = Optional.empty();
  private final WriteRetry writes = new WriteRetry(LOG, "the GPUNode");
  private final WriteRetry labelWrites = new WriteRetry(LOG, "the labels of the GPUNode");

  public GpuNodeController(
      AgentContext context,
      ApiServer server,
      Events events,
      Consumer<JsonNode> written,
      ReportCache latest) {
    this.context = context;
    this.server = server;
    this.events = events;
    this.written = written;
    this.latest = latest;
    this.path = NodeObjects.gpuNode(context.identity());
  }

  /// @param node the Node, for Events and as the owner
  /// @param report what the GPUNode says
  public record Input(ObjectEvent.Subject node, ReportInput report) {}

  @Override
  public Duration reconcile(Input input) throws InterruptedException {
    ReportInput report = input.report();
    if (!isValidated(report) && !waitedFor.equals(report.snapshot())) {
      waitedFor = report.snapshot();
      return FOR_THE_CAUSE;
    }
    Optional<JsonNode> live = report.gpuNode();
    return live.isPresent() ? report(input, live.get()) : create(input.node());
  }

  /// Whether the parts of the node were validated with the driver as it is now.
  private static boolean isValidated(ReportInput report) {
    return report.snapshot().isEmpty()
        || report.validation().filter(it -> it.basis().equals(report.snapshot())).isPresent();
  }

  private Duration create(ObjectEvent.Subject node) {
    JsonNode body = StatusApply.create(context.identity().node(), node.uid());
    return seen(writes.written(server.create(path, body, WriteRetry.DEADLINE)), writes);
  }

  private Duration report(Input input, JsonNode live) throws InterruptedException {
    GpuNodeStatus before = StatusApply.read(Optional.of(live));
    GpuNodeStatus wanted = latest.of(input.report());
    Optional<JsonNode> body =
        StatusApply.status(context.identity().node(), Optional.of(live), wanted);
    if (body.isEmpty()) {
      return StatusApply.labels(live).map(this::label).orElse(RESYNC);
    }
    // Before the status is written: after a kill in between, the same Event is reported again.
    String occurrence = live.at("/metadata/uid").asText() + version(live);
    Transitions.of(before, wanted).forEach(event -> emit(event, input.node(), occurrence));
    if (!events.awaitSent(FOR_EVENTS)) {
      LOG.atDebug().log("Events are reported after the status of the GPUNode");
    }
    return seen(
        writes.written(server.apply(path.status(), body.get(), WriteRetry.DEADLINE)), writes);
  }

  private static String version(JsonNode live) {
    return live.at("/metadata/resourceVersion").asText();
  }

  /// After the status, whose words they repeat: without the right to write them, only they lack.
  private Duration label(JsonNode body) {
    return seen(labelWrites.written(server.apply(path, body, WriteRetry.DEADLINE)), labelWrites);
  }

  private Duration seen(Optional<JsonNode> object, WriteRetry retry) {
    object.ifPresent(written);
    return object.isPresent() ? RESYNC : retry.pause();
  }

  private void emit(NodeEvent event, ObjectEvent.Subject node, String occurrence) {
    ObjectEvent.Type type =
        switch (event.type()) {
          case NORMAL -> ObjectEvent.Type.NORMAL;
          case WARNING -> ObjectEvent.Type.WARNING;
        };
    events.emit(new ObjectEvent(node, type, event.reason(), event.note()), occurrence);
  }
}
