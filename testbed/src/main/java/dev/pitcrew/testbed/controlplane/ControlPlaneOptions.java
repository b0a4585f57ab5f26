package dev.pitcrew.testbed.controlplane;

import java.time.Duration;
import java.util.List;

/// What can be chosen about a control plane.
///
/// @param address the only address on which the API server listens; anything but loopback also
///   makes it publish itself behind the `kubernetes` service, where pods on real nodes find it
/// @param disabledControllers controllers to leave out, such as `daemonset-controller`
/// @param nodeMonitorGracePeriod how long a node may be silent before it counts as lost; an hour by
///   default, because nodes that a test made up have no kubelet
/// @param startDeadline how long each process may take until it is ready
public record ControlPlaneOptions(
    String address,
    List<String> disabledControllers,
    Duration nodeMonitorGracePeriod,
    Duration startDeadline) {
  public ControlPlaneOptions {
    disabledControllers = List.copyOf(disabledControllers);
  }

  public static ControlPlaneOptions defaults() {
    return new ControlPlaneOptions(
        "127.0.0.1", List.of(), Duration.ofHours(1), Duration.ofMinutes(1));
  }

  public ControlPlaneOptions withAddress(String newAddress) {
    return new ControlPlaneOptions(
        newAddress, disabledControllers, nodeMonitorGracePeriod, startDeadline);
  }

  public ControlPlaneOptions withoutControllers(String... controllers) {
    return new ControlPlaneOptions(
        address, List.of(controllers), nodeMonitorGracePeriod, startDeadline);
  }

  public ControlPlaneOptions withNodeMonitorGracePeriod(Duration period) {
    return new ControlPlaneOptions(address, disabledControllers, period, startDeadline);
  }

  public ControlPlaneOptions withStartDeadline(Duration deadline) {
    return new ControlPlaneOptions(address, disabledControllers, nodeMonitorGracePeriod, deadline);
  }

  boolean isLoopback() {
    return address.startsWith("127.");
  }
}
