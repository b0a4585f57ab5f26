package dev.pitcrew.agent.status.plan;

import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import java.util.Optional;
import java.util.stream.Stream;

/// The Events of single GPUs that disappeared, became unhealthy or recovered.
final class GpuTransitions {
  private GpuTransitions() {}

  static Stream<NodeEvent> of(GpuNodeStatus before, GpuNodeStatus after) {
    Stream<NodeEvent> gone =
        before.gpus().stream()
            .filter(gpu -> find(after, gpu).isEmpty())
            .map(gpu ->
                NodeEvent.warning(
                    "GpuGone",
                    "%s is no longer there: see dmesg on the node"
                        .formatted(NodeVerdicts.name(gpu))));
    Stream<NodeEvent> turned =
        after.gpus().stream().flatMap(gpu -> event(find(before, gpu), gpu).stream());
    return Stream.concat(gone, turned);
  }

  private static Optional<Gpu> find(GpuNodeStatus status, Gpu gpu) {
    return status.gpus().stream()
        .filter(it -> it.pciAddress().equals(gpu.pciAddress()))
        .findFirst();
  }

  private static Optional<NodeEvent> event(Optional<Gpu> last, Gpu now) {
    boolean wasUnhealthy = last.filter(GpuTransitions::isUnhealthy).isPresent();
    if (!isUnhealthy(now)) {
      return wasUnhealthy && !now.health().isAbsent()
          ? Optional.of(
              NodeEvent.normal("GpuRecovered", NodeVerdicts.name(now) + " is healthy again"))
          : Optional.empty();
    }
    boolean isKnown =
        last.filter(it -> it.health().level() == now.health().level())
            .filter(it -> it.health().evidence().equals(now.health().evidence()))
            .isPresent();
    return isKnown
        ? Optional.empty()
        : Optional.of(NodeEvent.warning("GpuUnhealthy", NodeVerdicts.unhealthyReason(now)));
  }

  private static boolean isUnhealthy(Gpu gpu) {
    return gpu.health().level() != HealthLevel.HEALTHY;
  }
}
