package dev.pitcrew.agent.host;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import dev.pitcrew.hardware.gpu.GpuSettings;
import java.util.List;
import java.util.Optional;

/// Where the node and its driver are, seen from this process.
///
/// @param host where `/` of the host is
/// @param driver where the driver's `/` is
/// @param nvml the library, where it was named
public record NodePlaces(HostRoot host, DriverRootFinder driver, Optional<String> nvml) {

  /// The driver where driver containers put it, else where it usually is.
  ///
  /// @param driverFolder on the host, such as `/run/nvidia/driver`
  public static DriverRootFinder finder(HostRoot host, String driverFolder) {
    return () -> {
      DriverRoot containers = DriverRoot.below(host, driverFolder, Optional.empty());
      return containers.hasDriver()
          ? containers
          : DriverRootFinder.searching(host, List.of()).now();
    };
  }

  public GpuSettings gpuSettings() {
    var settings = new GpuSettings(host, driver);
    return nvml.map(settings::withLibrary).orElse(settings);
  }
}
