package dev.pitcrew.agent.plugin;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.Resource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// The answer to the kubelet's request to give devices to one container (device plugin, Allocate).
/// Pure: the same offer and request give the same answer.
public sealed interface Allocation {

  record Granted(ContainerResponse response) implements Allocation {}

  record Refused(String reason) implements Allocation {}

  /// @param ids as the kubelet asks for them
  /// @param names gives an annotation a name that no other has
  static Allocation of(Offer offer, List<String> ids, Supplier<String> names) {
    return refusal(offer.resource(), ids)
        .<Allocation>map(reason ->
            new Refused(
                "invalid allocation request for \"%s\": invalid request: %s"
                    .formatted(offer.resource().name(), reason)))
        .orElseGet(() -> new Granted(granted(offer, ids, names)));
  }

  /// The kubelet writes it into the status of the pod, where its owner looks: first in the
  /// reference's words, then the remedy.
  private static Optional<String> refusal(Resource resource, List<String> ids) {
    Optional<String> unknown = ids.stream().filter(id -> resource.device(id).isEmpty()).findFirst();
    if (unknown.isPresent()) {
      return unknown.map(id -> "unknown device: " + id);
    }
    boolean isShared = ids.stream().anyMatch(Device::isReplica);
    return resource.limitsSharedRequests() && isShared && ids.size() > 1
        ? Optional.of(
            "maximum request size for shared resources is 1; found %d: ask for 1 in resources.limits of the pod, or of the template in the Deployment or Job that makes it (failRequestsGreaterThanOne of the node's sharing forbids more)"
                .formatted(ids.size()))
        : Optional.empty();
  }

  private static ContainerResponse granted(Offer offer, List<String> ids, Supplier<String> names) {
    Set<String> wanted = new HashSet<>(ids);
    List<Device> devices =
        offer.resource().devices().stream().filter(it -> wanted.contains(it.id())).toList();
    List<String> exposed =
        switch (offer.settings().idStrategy()) {
          case UUID -> ids.stream().map(Device::uuidOf).distinct().toList();
          case INDEX -> devices.stream().map(it -> it.physical().index()).distinct().toList();
        };
    return new ResponseSteps(offer.resource().name(), offer.settings(), devices, exposed)
        .response(names);
  }
}
