package dev.pitcrew.operator.policy;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.fleetpolicy.DriverCount;
import dev.pitcrew.api.fleetpolicy.FleetGpus;
import dev.pitcrew.api.fleetpolicy.FleetNodes;
import dev.pitcrew.api.fleetpolicy.FleetSummary;
import dev.pitcrew.api.fleetpolicy.HealthCount;
import dev.pitcrew.api.fleetpolicy.ReasonCount;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.core.fleet.FleetFigures;
import dev.pitcrew.core.fleet.NodeReport;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The summary of all GPUNodes in the status of the FleetPolicy. Its size is bounded, whatever the
/// GPUNodes say.
public final class FleetSummaries {
  private static final int MOST = 10;
  private static final int WORD = 64;

  private FleetSummaries() {}

  /// Without the time of the last change.
  public static FleetSummary of(Collection<NodeReport> nodes) {
    FleetFigures figures = FleetFigures.of(nodes);
    return new FleetSummary(
        new FleetNodes(
            figures.nodes(),
            figures.ready(),
            FleetFigures.most(figures.byReason(), MOST).sequencedEntrySet().stream()
                .map(it -> new ReasonCount(it.getKey(), it.getValue(), Map.of()))
                .toList(),
            Map.of()),
        new FleetGpus(
            Math.toIntExact(figures.gpus()),
            Math.toIntExact(figures.allocatable()),
            Math.toIntExact(figures.unhealthy()),
            Math.toIntExact(figures.shared()),
            byHealth(figures),
            Map.of()),
        FleetFigures.most(figures.drivers(), MOST).sequencedEntrySet().stream()
            .map(it -> new DriverCount(it.getKey(), it.getValue(), Map.of()))
            .toList(),
        null,
        Map.of());
  }

  /// What a GPUNode says, as far as it is counted.
  public static NodeReport report(GpuNodeStatus node) {
    Optional<Condition> ready = node.condition(NodeCondition.READY);
    Optional<Condition> offer = node.condition(NodeCondition.DEVICES_ADVERTISED);
    return new NodeReport(
        ready.filter(Condition::isTrue).isPresent(),
        cut(ready.map(Condition::reason).orElse(NodeReport.NOT_REPORTED)),
        Objects.requireNonNullElse(node.gpuCount(), 0),
        node.gpus().stream().map(FleetSummaries::level).toList(),
        NodeReport.isWhole(
            node.gpus().stream().anyMatch(gpu -> !gpu.instances().isEmpty()),
            node.sharing().strategy() == null ? "" : word(node.sharing().strategy()),
            offer.map(Condition::reason).orElse("")),
        offer.map(Condition::isTrue).orElse(true),
        cut(Objects.requireNonNullElse(node.driver().version(), "")));
  }

  private static String level(Gpu gpu) {
    return gpu.health().isAbsent() ? "" : word(gpu.health().level());
  }

  private static List<HealthCount> byHealth(FleetFigures figures) {
    return Arrays.stream(HealthLevel.values())
        .filter(level -> figures.byHealth().containsKey(word(level)))
        .map(level ->
            new HealthCount(level, figures.byHealth().getOrDefault(word(level), 0), Map.of()))
        .toList();
  }

  private static String word(Enum<?> value) {
    return ApiJson.tree(value).asText();
  }

  private static String cut(String text) {
    return text.length() <= WORD ? text : text.substring(0, WORD - 1) + "…";
  }
}
