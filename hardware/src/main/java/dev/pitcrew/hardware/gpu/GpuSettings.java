package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.driver.DriverRootFinder;
import dev.pitcrew.hardware.nvml.NvmlUse;
import java.time.Duration;
import java.util.Optional;

/// Where the GPUs are and how long to wait for them.
///
/// @param driver where the driver's files lie, determined again whenever NVML is opened
/// @param library the path of libnvidia-ml; empty takes the one below the driver root
/// @param deadline after which a GPU that does not answer is unresponsive
/// @param use knows whether NVML is closed again
public record GpuSettings(
    HostRoot host,
    DriverRootFinder driver,
    Optional<String> library,
    Duration deadline,
    NvmlUse use) {
  private static final Duration USUAL_DEADLINE = Duration.ofSeconds(5);

  public GpuSettings(HostRoot host, DriverRootFinder driver) {
    this(host, driver, Optional.empty(), USUAL_DEADLINE, new NvmlUse());
  }

  public GpuSettings(HostRoot host, HostRoot driverRoot) {
    this(host, driverRoot, USUAL_DEADLINE);
  }

  public GpuSettings(HostRoot host, HostRoot driverRoot, Duration deadline) {
    this(host, () -> rootOf(host, driverRoot), Optional.empty(), deadline, new NvmlUse());
  }

  private static DriverRoot rootOf(HostRoot host, HostRoot files) {
    return DriverRoot.at(files, files.folder().toString(), host, Optional.empty());
  }

  public GpuSettings withLibrary(String path) {
    return new GpuSettings(host, driver, Optional.of(path), deadline, use);
  }

  /// For calls that take longer than usual, such as those that divide a GPU.
  public GpuSettings withDeadline(Duration longer) {
    return new GpuSettings(host, driver, library, longer, use);
  }

  public GpuSettings withUse(NvmlUse counted) {
    return new GpuSettings(host, driver, library, deadline, counted);
  }
}
