package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.HostRoot;
import java.time.Duration;
import java.util.Optional;

/// Where the GPUs are and how long to wait for them.
///
/// @param driverRoot where the driver's files lie: `/` for a driver on the host itself, or the root
///   of a driver container
/// @param library the path of libnvidia-ml; empty takes the one below the driver root
/// @param deadline after which a GPU that does not answer is unresponsive
public record GpuSettings(
    HostRoot host, HostRoot driverRoot, Optional<String> library, Duration deadline) {
  private static final Duration USUAL_DEADLINE = Duration.ofSeconds(5);

  public GpuSettings(HostRoot host, HostRoot driverRoot) {
    this(host, driverRoot, USUAL_DEADLINE);
  }

  public GpuSettings(HostRoot host, HostRoot driverRoot, Duration deadline) {
    this(host, driverRoot, Optional.empty(), deadline);
  }

  public GpuSettings withLibrary(String path) {
    return new GpuSettings(host, driverRoot, Optional.of(path), deadline);
  }
}
