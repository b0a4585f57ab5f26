package dev.pitcrew.agent.unhealthy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.NodeObjects;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.settings.HealthSettings;
import dev.pitcrew.agent.status.ReportCache;
import dev.pitcrew.agent.status.ReportInput;
import dev.pitcrew.agent.status.plan.HealthCondition;
import dev.pitcrew.agent.status.plan.NodeTaints;
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
public final class TaintController implements Controller<TaintController.Input> {
  private static final Logger LOG = LoggerFactory.getLogger(TaintController.class);

  /// Another client may change the taints concurrently.
  private static final int ATTEMPTS = 3;

  private final ObjectPath path;
  private final ApiServer server;
  private final ReportCache latest;
  private final InstantSource clock;
  private final WriteRetry taints = new WriteRetry(LOG, "the taints of the node");
  private final WriteRetry condition = new WriteRetry(LOG, "the condition of the node");

  public TaintController(AgentContext context, ApiServer server, ReportCache latest) {
    this.path = NodeObjects.node(context.identity());
    this.server = server;
    this.latest = latest;
    this.clock = context.clock();
  }

  /// @param isHealthOn whether the condition is the agent's
  /// @param offered what was reported to the kubelet
  public record Input(
      JsonNode node,
      HealthSettings health,
      boolean isHealthOn,
      Optional<OfferReport> offered,
      ReportInput report) {}

  @Override
  public Duration reconcile(Input input) {
    JsonNode node = input.node();
    GpuNodeStatus report = latest.of(input.report());
    Duration first = taint(node, wanted(input, report));
    Duration second =
        input.isHealthOn() ? say(node, report.condition(NodeCondition.HEALTHY)) : sayNothing(node);
    return first.compareTo(second) < 0 ? first : second;
  }

  /// For an agent that is the last of its node, and for a node that has lost its GPUs. The operator
  /// removes what is not removed here.
  ///
  /// @param isForGood whether new GPUs are not awaited either
  /// @return whether all is gone
  public boolean removeAll(boolean isForGood) {
    boolean isGone = false;
    for (int attempt = 0; attempt < ATTEMPTS && !isGone; attempt++) {
      // Not as it was seen last: this agent itself may have written since.
      isGone =
          server.get(path, WriteRetry.DEADLINE) instanceof Reply.Done(var node)
              && removeAll(node, isForGood);
    }
    return isGone;
  }

  private boolean removeAll(JsonNode node, boolean isForGood) {
    boolean isUntainted = taint(node, new NodeTaints(Optional.empty(), isForGood)).equals(RESYNC);
    return sayNothing(node).equals(RESYNC) && isUntainted;
  }

  private static NodeTaints wanted(Input input, GpuNodeStatus report) {
    HealthSettings health = input.health();
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
        !health.hasStartupTaint() || isAllocatable(input));
  }

  /// Whether the kubelet has every resource that has a device in order.
  private static boolean isAllocatable(Input input) {
    JsonNode allocatable = input.node().at("/status/allocatable");
    return input
        .offered()
        .filter(report ->
            report.resources().stream().anyMatch(it -> it.healthy() > 0)
                && report.resources().stream()
                    .filter(it -> it.healthy() > 0)
                    .allMatch(it -> isThere(it, allocatable)))
        .isPresent();
  }

  private static boolean isThere(OfferReport.Advertised resource, JsonNode allocatable) {
    return resource.isRegistered() && !allocatable.path(resource.name()).asText("0").equals("0");
  }

  private Duration taint(JsonNode node, NodeTaints wanted) {
    return wanted
        .patch(node)
        .map(patch -> taints.written(server.patch(path, patch, WriteRetry.DEADLINE)))
        .map(written -> written.isPresent() ? RESYNC : taints.pause())
        .orElse(RESYNC);
  }

  private Duration say(JsonNode node, Optional<Condition> wanted) {
    return wanted
        .flatMap(it -> HealthCondition.apply(node, it, clock.instant()))
        .map(body -> next(server.apply(path.status(), body, WriteRetry.DEADLINE)))
        .orElse(RESYNC);
  }

  private Duration sayNothing(JsonNode node) {
    return HealthCondition.removal(node)
        .map(part -> next(server.merge(path.status(), part, WriteRetry.DEADLINE)))
        .orElse(RESYNC);
  }

  private Duration next(Reply reply) {
    return condition.written(reply).isPresent() ? RESYNC : condition.pause();
  }
}
