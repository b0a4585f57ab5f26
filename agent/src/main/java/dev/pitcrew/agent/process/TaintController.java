package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.settings.HealthSettings;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.HealthCondition;
import dev.pitcrew.agent.status.NodeTaints;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.NodeCondition;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says on the Node itself how its GPUs are: the condition `GPUHealthy`, and where the policy wants
/// it, a taint; both go when nothing speaks against the GPUs any more. Takes the start-up taint
/// away once the kubelet has the devices.
final class TaintController implements Controller {
  private static final Logger LOG = LoggerFactory.getLogger(TaintController.class);

  /// Another client may change the taints concurrently.
  private static final int ATTEMPTS = 3;

  private final ObjectPath path;
  private final ApiServer server;
  private final ReportCache latest;
  private final InstantSource clock;
  private final WriteRetry taints = new WriteRetry(LOG, "the taints of the node");
  private final WriteRetry condition = new WriteRetry(LOG, "the condition of the node");

  TaintController(AgentContext place, ApiServer server, ReportCache latest) {
    this.path = NodeObjects.node(place.identity());
    this.server = server;
    this.latest = latest;
    this.clock = place.clock();
  }

  @Override
  public Duration act(NodeState situation) {
    Optional<JsonNode> node = situation.cluster().nodeObject();
    boolean isKnown = situation.settings().isPresent() && situation.snapshot().isPresent();
    if (node.isEmpty() || !isKnown) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    GpuNodeStatus report = latest.of(situation);
    Duration first = taint(node.get(), wanted(situation, settings.health(), report));
    Duration second =
        settings.isOn(NodeFunction.HEALTH)
            ? say(node.get(), report.condition(NodeCondition.HEALTHY))
            : sayNothing(node.get());
    return first.compareTo(second) < 0 ? first : second;
  }

  /// For an agent that is the last of its node, and for a node that has lost its GPUs. The operator
  /// removes what is not removed here.
  ///
  /// @param isForGood whether new GPUs are not awaited either
  /// @return whether all is gone
  boolean takeBack(boolean isForGood) {
    boolean isGone = false;
    for (int attempt = 0; attempt < ATTEMPTS && !isGone; attempt++) {
      // Not as it was seen last: this agent itself may have written since.
      isGone =
          server.get(path, WriteRetry.DEADLINE) instanceof Reply.Done(var node)
              && takeBack(node, isForGood);
    }
    return isGone;
  }

  private boolean takeBack(JsonNode node, boolean isForGood) {
    boolean isUntainted = taint(node, new NodeTaints(Optional.empty(), isForGood)).equals(SETTLED);
    return sayNothing(node).equals(SETTLED) && isUntainted;
  }

  private static NodeTaints wanted(
      NodeState situation, HealthSettings health, GpuNodeStatus report) {
    HealthLevel worst =
        report.gpus().stream()
            .filter(gpu -> !gpu.health().isAbsent())
            .map(Gpu::health)
            .map(it -> it.level())
            .max(Comparator.naturalOrder())
            .orElse(HealthLevel.HEALTHY);
    return new NodeTaints(
        health
            .taintFrom()
            .filter(from -> worst.compareTo(from) >= 0)
            .map(_ -> new NodeTaints.Unhealthy(worst, health.taintEffect())),
        !health.hasStartupTaint() || isAllocatable(situation));
  }

  /// Whether the kubelet has every resource that has a device in order.
  private static boolean isAllocatable(NodeState situation) {
    Optional<JsonNode> allocatable =
        situation.cluster().nodeObject().map(it -> it.at("/status/allocatable"));
    return situation
        .offered()
        .filter(report ->
            report.resources().stream().anyMatch(it -> it.healthy() > 0)
                && report.resources().stream()
                    .filter(it -> it.healthy() > 0)
                    .allMatch(it -> isThere(it, allocatable)))
        .isPresent();
  }

  private static boolean isThere(OfferReport.Advertised resource, Optional<JsonNode> allocatable) {
    return resource.isRegistered()
        && allocatable
            .map(it -> it.path(resource.name()).asText("0"))
            .filter(count -> !count.equals("0"))
            .isPresent();
  }

  private Duration taint(JsonNode node, NodeTaints wanted) {
    return wanted
        .patch(node)
        .map(patch -> taints.written(server.patch(path, patch, WriteRetry.DEADLINE)))
        .map(written -> written.isPresent() ? SETTLED : taints.pause())
        .orElse(SETTLED);
  }

  private Duration say(JsonNode node, Optional<Condition> wanted) {
    return wanted
        .flatMap(it -> HealthCondition.apply(node, it, clock.instant()))
        .map(body -> next(server.apply(path.status(), body, WriteRetry.DEADLINE)))
        .orElse(SETTLED);
  }

  private Duration sayNothing(JsonNode node) {
    return HealthCondition.removal(node)
        .map(part -> next(server.merge(path.status(), part, WriteRetry.DEADLINE)))
        .orElse(SETTLED);
  }

  private Duration next(Reply reply) {
    return condition.written(reply).isPresent() ? SETTLED : condition.pause();
  }
}
