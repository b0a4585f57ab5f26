package dev.pitcrew.agent.nodestatus;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.nodestatus.plan.NodeStatus;
import dev.pitcrew.agent.nodestatus.plan.NodeStatusPage;
import dev.pitcrew.agent.nodestatus.plan.ReadyFile;
import dev.pitcrew.agent.status.plan.StatusApply;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.core.exposition.TextExposition;
import dev.pitcrew.core.web.Answer;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HttpEndpoint;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Serves the metrics of the node while that is the agent's to do. A scrape sends no request: it
/// returns the result of the last event, and which status files there are.
public final class NodeStatusController
    implements Controller<NodeStatusController.Input>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeStatusController.class);
  private static final Duration UNTIL_TRIED_AGAIN = Duration.ofSeconds(30);

  private final AgentContext context;
  private final AtomicReference<NodeStatus> status;
  private final Consumer<TextExposition> more;
  private final ProblemLog unserved = new ProblemLog(LOG);
  private Optional<HttpEndpoint> endpoint = Optional.empty();

  /// @param more writes what other parts of the agent count
  public NodeStatusController(AgentContext context, Consumer<TextExposition> more) {
    this.context = context;
    this.more = more;
    this.status =
        new AtomicReference<>(
            NodeStatus.beginning(context.identity().node(), context.clock().instant()));
  }

  /// @param isWanted whether the metrics are the agent's to serve
  /// @param capacity how many devices the kubelet has, and how many of them are healthy
  /// @param boards how many functions of NVIDIA are on the bus
  /// @param gpuNode as the API server has it
  public record Input(
      boolean isWanted,
      Optional<NodeSnapshot> snapshot,
      long capacity,
      long allocatable,
      long boards,
      Optional<JsonNode> gpuNode) {}

  @Override
  public Duration reconcile(Input input) {
    status.updateAndGet(before -> before.next(seen(input), context.clock().instant()));
    if (!input.isWanted() || !(context.nodeStatus() instanceof BindAddress.Listen address)) {
      close();
      return RESYNC;
    }
    if (endpoint.isEmpty()) {
      serve(address);
    }
    return endpoint.isPresent() ? RESYNC : UNTIL_TRIED_AGAIN;
  }

  private static NodeStatus.Seen seen(Input input) {
    GpuNodeStatus reported = StatusApply.read(input.gpuNode());
    return new NodeStatus.Seen(
        input.snapshot().filter(NodeSnapshot.WithDriver.class::isInstance).isPresent(),
        input.capacity(),
        input.allocatable(),
        input.boards(),
        reported.conditions(),
        GpuHealthMetrics.of(reported.gpus(), input.snapshot()),
        GpuHealthMetrics.switches(input.snapshot()));
  }

  private void serve(BindAddress.Listen address) {
    try {
      endpoint = Optional.of(HttpEndpoint.start(address, Map.of("/metrics", _ -> page())));
      unserved.lines(List.of());
    } catch (UncheckedIOException e) {
      unserved.lines(List.of(occupied(address, e)));
    }
  }

  private Answer page() {
    String text = NodeStatusPage.of(status.get(), readyFiles(), context.clock().instant(), more);
    return new Answer(200, TextExposition.CONTENT_TYPE, text.getBytes(StandardCharsets.UTF_8));
  }

  /// The validator of this node writes them, either the agent or NVIDIA's operator validator.
  private Set<ReadyFile> readyFiles() {
    Path folder = context.folders().validations();
    return Arrays.stream(ReadyFile.values())
        .filter(file -> Files.exists(folder.resolve(file.fileName())))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String occupied(BindAddress.Listen address, UncheckedIOException e) {
    return "the metrics of the node are not served (%s: %s): end what has port %d (ss -ltnp) or give the agent another by --node-status-bind-address; trying again"
        .formatted(e.getMessage(), String.valueOf(e.getCause()), address.port());
  }

  /// Lets the port go.
  @Override
  public void close() {
    endpoint.ifPresent(HttpEndpoint::close);
    endpoint = Optional.empty();
  }
}
