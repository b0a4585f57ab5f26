package dev.pitcrew.testbed.gpu;

import java.util.Set;

/// What a simulated node has.
///
/// @param profile a board that `nvml-sim profiles` lists, such as `a100-40g`
/// @param driver the driver's version
/// @param cuda the newest CUDA version that it supports
/// @param driverRoot where the driver's files lie on the host: `/` or a driver container's root
/// @param host the operating system around it: a name of [SimulatedHost#named]
public record SimulatedNodeOptions(
    String profile, int gpus, String driver, String cuda, String driverRoot, String host) {
  /// Where driver containers show their root.
  public static final String CONTAINER_ROOT = "/run/nvidia/driver";

  private static final Set<String> BLACKWELL = Set.of("b200", "gb200");

  /// Two GPUs of a board, with the driver of a container.
  public static SimulatedNodeOptions of(String profile) {
    return BLACKWELL.contains(profile)
        ? new SimulatedNodeOptions(
            profile, 2, "570.172.08", "12.8", CONTAINER_ROOT, SimulatedHost.USUAL)
        : new SimulatedNodeOptions(
            profile, 2, "550.163.01", "12.4", CONTAINER_ROOT, SimulatedHost.USUAL);
  }

  public SimulatedNodeOptions withGpus(int count) {
    return new SimulatedNodeOptions(profile, count, driver, cuda, driverRoot, host);
  }

  public SimulatedNodeOptions withDriver(String version, String cudaVersion) {
    return new SimulatedNodeOptions(profile, gpus, version, cudaVersion, driverRoot, host);
  }

  public SimulatedNodeOptions withDriverRoot(String hostPath) {
    return new SimulatedNodeOptions(profile, gpus, driver, cuda, hostPath, host);
  }

  public SimulatedNodeOptions withHost(String name) {
    return new SimulatedNodeOptions(profile, gpus, driver, cuda, driverRoot, name);
  }
}
