package dev.pitcrew.agent.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.agent.settings.HealthSettings;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.agent.status.GpuNodeReport;
import dev.pitcrew.agent.status.HealthCondition;
import dev.pitcrew.agent.status.NodeTaints;
import dev.pitcrew.agent.status.StatusApply;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.NodeCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Says on the Node itself how its GPUs are: the condition `GPUHealthy`, and where the policy wants
/// it, a taint; both go when nothing speaks against the GPUs any more. Takes the start-up taint
/// away once the kubelet has the devices.
final class MarkNode implements Concern {
  private static final Logger LOG = LoggerFactory.getLogger(MarkNode.class);

  private final AgentPlace place;
  private final ApiServer server;
  private final Writes taints = new Writes(LOG, "the taints of the node");
  private final Writes condition = new Writes(LOG, "the condition of the node");

  MarkNode(AgentPlace place, ApiServer server) {
    this.place = place;
    this.server = server;
  }

  @Override
  public Duration act(Situation situation) {
    Optional<JsonNode> node = situation.cluster().nodeObject();
    boolean isKnown = situation.settings().isPresent() && situation.snapshot().isPresent();
    if (node.isEmpty() || !isKnown) {
      return SETTLED;
    }
    Settings settings = situation.settings().get();
    Instant now = place.clock().instant();
    GpuNodeStatus report =
        GpuNodeReport.of(
            Facts.of(situation, place), StatusApply.read(situation.cluster().gpuNodeObject()), now);
    Duration first = taint(node.get(), wanted(situation, settings.health(), report));
    Duration second = say(node.get(), settings, report, now);
    return first.compareTo(second) < 0 ? first : second;
  }

  private static NodeTaints wanted(
      Situation situation, HealthSettings health, GpuNodeStatus report) {
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
        health.hasStartupTaint() && isAllocatable(situation));
  }

  /// Whether the kubelet has every resource that has a device in order.
  private static boolean isAllocatable(Situation situation) {
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
        .map(patch ->
            taints.written(
                server.patch(ClusterObjects.node(place.identity()), patch, Writes.DEADLINE)))
        .map(written -> written.isPresent() ? SETTLED : taints.pause())
        .orElse(SETTLED);
  }

  private Duration say(JsonNode node, Settings settings, GpuNodeStatus report, Instant now) {
    boolean isOn = settings.isOn(NodeFunction.HEALTH);
    Optional<JsonNode> body =
        HealthCondition.apply(node, report.condition(NodeCondition.HEALTHY).filter(_ -> isOn), now);
    if (body.isEmpty()) {
      return SETTLED;
    }
    var path = ClusterObjects.node(place.identity()).status();
    boolean isWritten =
        condition.written(server.apply(path, body.get(), Writes.DEADLINE)).isPresent();
    return isWritten ? SETTLED : condition.pause();
  }
}
