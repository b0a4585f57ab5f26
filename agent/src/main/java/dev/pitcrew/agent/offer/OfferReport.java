package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.device.allocatable.Allocatable;
import java.util.List;
import java.util.Optional;

/// What came of an offer, as it stands with the kubelet at the moment of asking.
///
/// @param offered the devices that the kubelet was given, and why the configuration leaves others
/// @param resources how the kubelet took them, ordered by name
/// @param leftOut why devices that the configuration offers are not offered, a line for each device
///   or for all of them; they are looked at again
/// @param failures what should have worked and did not; it is tried again
public record OfferReport(
    Allocatable offered, List<Advertised> resources, List<String> leftOut, List<String> failures) {
  public static final OfferReport NOTHING =
      new OfferReport(Allocatable.NOTHING, List.of(), List.of(), List.of());

  public OfferReport {
    resources = List.copyOf(resources);
    leftOut = List.copyOf(leftOut);
    failures = List.copyOf(failures);
  }

  /// Whether something is to be tried again soon.
  public boolean isIncomplete() {
    return !leftOut.isEmpty() || !failures.isEmpty();
  }

  /// One resource and its devices, replicas counted each.
  ///
  /// @param problem why the kubelet does not have it at the moment; empty if it has
  public record Advertised(String name, int healthy, int unhealthy, Optional<String> problem) {

    /// Whether its registration was not tried yet: a server that has just started.
    public boolean isPending() {
      return problem.filter(DevicePlugins.NOT_TRIED::equals).isPresent();
    }

    /// Whether the kubelet took the registration and has not ended it since.
    public boolean isRegistered() {
      return problem.isEmpty();
    }
  }
}
