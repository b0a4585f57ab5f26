package dev.pitcrew.agent.process;

import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.settings.Settings;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import java.util.Optional;

/// Where the driver is, searched again each time: first where driver containers put it.
final class DriverPaths {
  private DriverPaths() {}

  static NodePlaces of(AgentContext place, String driverFolder) {
    return new NodePlaces(place.host(), finder(place, driverFolder), place.nvml());
  }

  static OfferPlaces offerPlaces(AgentContext place, String driverFolder) {
    return new OfferPlaces(place.host(), finder(place, driverFolder), place.folders().cdi());
  }

  /// The driver root as the host names it; empty where no driver is.
  static Optional<String> onHost(AgentContext place, Settings settings) {
    return Optional.of(finder(place, settings.driverFolder()).now())
        .filter(DriverRoot::hasDriver)
        .map(DriverRoot::filesOnHost);
  }

  static DriverRootFinder finder(AgentContext place, String driverFolder) {
    return NodePlaces.finder(place.host(), driverFolder);
  }
}
