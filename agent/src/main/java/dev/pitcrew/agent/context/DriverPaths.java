package dev.pitcrew.agent.context;

import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import java.util.Optional;

/// Where the driver is, searched again each time: first where driver containers put it.
public final class DriverPaths {
  private DriverPaths() {}

  public static NodePlaces of(AgentContext place, String driverFolder) {
    return new NodePlaces(place.host(), finder(place, driverFolder), place.nvml());
  }

  /// The driver root as the host names it; empty where no driver is.
  public static Optional<String> onHost(AgentContext place, String driverFolder) {
    return Optional.of(finder(place, driverFolder).now())
        .filter(DriverRoot::hasDriver)
        .map(DriverRoot::filesOnHost);
  }

  public static DriverRootFinder finder(AgentContext place, String driverFolder) {
    return NodePlaces.finder(place.host(), driverFolder);
  }
}
