package dev.pitcrew.agent.offer;

import dev.pitcrew.agent.plugin.DevicePlugins;
import java.util.List;
import java.util.Optional;

/// What came of an offer, as it stands with the kubelet at the moment of asking.
///
/// @param resources what is advertised, ordered by name
/// @param problems what of the node is not offered, or not as it was configured
/// @param failures what should have worked and did not; it is tried again
public record OfferReport(
    List<Advertised> resources, List<String> problems, List<String> failures) {
  public static final OfferReport NOTHING = new OfferReport(List.of(), List.of(), List.of());

  public OfferReport {
    resources = List.copyOf(resources);
    problems = List.copyOf(problems);
    failures = List.copyOf(failures);
  }

  /// One resource and its devices, replicas counted each.
  ///
  /// @param trouble why the kubelet does not have it at the moment; empty if it has
  public record Advertised(String name, int healthy, int unhealthy, Optional<String> trouble) {

    /// Whether nobody has tried to register it yet: a server that has just begun.
    public boolean isPending() {
      return trouble.filter(DevicePlugins.NOT_TRIED::equals).isPresent();
    }

    /// Whether the kubelet took the registration and has not ended it since.
    public boolean isRegistered() {
      return trouble.isEmpty();
    }
  }
}
