package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig.DriverRoots;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import java.util.Optional;

/// Where the node and its driver are, seen from this process.
///
/// @param host where `/` of the host is
/// @param driverRoot where the driver's `/` is
/// @param nvml the library, where it was named
public record NodePlaces(HostRoot host, HostRoot driverRoot, Optional<String> nvml) {

  GpuSettings gpuSettings() {
    var settings = new GpuSettings(host, driverRoot);
    return nvml.map(settings::withLibrary).orElse(settings);
  }

  /// The driver root under both its names.
  DriverRoot driver(DriverRoots roots) {
    Optional<String> devices = Optional.of(roots.dev()).filter(dev -> !dev.equals(roots.driver()));
    return DriverRoot.at(driverRoot, roots.driver(), host, devices);
  }
}
