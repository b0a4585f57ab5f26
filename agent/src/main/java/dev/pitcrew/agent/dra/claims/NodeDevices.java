package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.device.dra.ClaimDevice;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The devices for which claims are prepared at the moment.
public sealed interface NodeDevices {
  /// None, as long as `reason` holds.
  record Unavailable(String reason) implements NodeDevices {}

  /// @param node the name of the node, and of its pool
  /// @param byName devices whose GPUs claims serve
  /// @param specification has a device for each of them by UUID, and what all containers get
  record Available(String node, Map<String, ClaimDevice> byName, CdiSpecification specification)
      implements NodeDevices {
    public Available {
      byName = Map.copyOf(byName);
    }

    public static Available of(
        String node, Collection<ClaimDevice> devices, CdiSpecification specification) {
      return new Available(
          node,
          devices.stream().collect(Collectors.toMap(ClaimDevice::name, Function.identity())),
          specification);
    }
  }
}
