package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.HostRoot;
import java.time.Duration;

/// Where the GPUs are and how long to wait for them.
///
/// @param driverRoot where the driver's files lie: `/` for a driver on the host itself, or the root
///   of a driver container
/// @param deadline after which a GPU that does not answer is unresponsive
public record GpuSettings(HostRoot host, HostRoot driverRoot, Duration deadline) {
  private static final Duration USUAL_DEADLINE = Duration.ofSeconds(5);

  public GpuSettings(HostRoot host, HostRoot driverRoot) {
    this(host, driverRoot, USUAL_DEADLINE);
  }
}
