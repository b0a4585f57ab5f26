package dev.pitcrew.operator.runtime;

import dev.pitcrew.operator.cluster.NodePool;
import dev.pitcrew.operator.cluster.OpenShift;
import dev.pitcrew.operator.metrics.ToolkitGauges;
import dev.pitcrew.operator.metrics.ToolkitGauges.Availability;
import dev.pitcrew.operator.operand.driver.DriverToolkit;
import dev.pitcrew.operator.render.RenderContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What the metrics say of OpenShift's driver toolkit.
final class ToolkitState {
  private ToolkitState() {}

  static ToolkitGauges of(RenderContext context) {
    Optional<OpenShift> openShift = context.facts().openShift();
    boolean wanted =
        context.spec().operator().isOcpDriverToolkitWanted()
            && !context.spec().driver().isPrecompiled();
    if (openShift.isEmpty() || !wanted) {
      return new ToolkitGauges(Availability.NOT_REQUESTED, false, false, false, false);
    }
    List<String> releases =
        context.facts().pools().stream()
            .map(NodePool::coreOsRelease)
            .filter(release -> !release.isEmpty())
            .toList();
    Optional<Map<String, String>> images = openShift.get().driverToolkitImages();
    boolean builds = DriverToolkit.isEnabled(context);
    return new ToolkitGauges(
        builds ? Availability.ENABLED : Availability.NOT_POSSIBLE,
        context.facts().hasGpuNodes() && releases.isEmpty(),
        images.isEmpty(),
        images.filter(known -> !known.keySet().containsAll(releases)).isPresent(),
        openShift.get().brokenDriverToolkit());
  }
}
