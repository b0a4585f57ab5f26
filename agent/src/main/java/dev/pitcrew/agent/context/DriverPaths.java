package dev.pitcrew.agent.context;

import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import java.util.Optional;

/// Where the driver is, searched again each time: first where driver containers put it.
public final class DriverPaths {
  private DriverPaths() {}

  public static NodePlaces of(AgentContext context, String driverFolder) {
    return new NodePlaces(context.host(), finder(context, driverFolder), context.nvml());
  }

  /// The driver root as the host names it; empty where no driver is.
  public static Optional<String> onHost(AgentContext context, String driverFolder) {
    return Optional.of(finder(context, driverFolder).now())
        .filter(DriverRoot::hasDriver)
        .map(DriverRoot::filesOnHost);
  }

  public static DriverRootFinder finder(AgentContext context, String driverFolder) {
    return NodePlaces.finder(context.host(), driverFolder);
  }
}
