package dev.pitcrew.device.allocation;

import dev.pitcrew.device.allocatable.Device;
import dev.pitcrew.device.allocatable.PhysicalDevice;
import dev.pitcrew.device.allocatable.Resource;
import dev.pitcrew.device.inventory.Topology;
import java.util.List;

/// The answer to a question for a preferred allocation.
public sealed interface Preference {

  /// @param ids as many as were asked for, or none where there is no preference
  record Chosen(List<String> ids) implements Preference {
    public Chosen {
      ids = List.copyOf(ids);
    }
  }

  record Refused(String reason) implements Preference {}

  /// What the kubelet asks.
  ///
  /// @param available in the order in which the kubelet names them; contains the required ones
  record Request(List<String> available, List<String> required, int size) {
    public Request {
      available = List.copyOf(available);
      required = List.copyOf(required);
    }
  }

  /// Whole GPUs are chosen by their links, everything else by how much of it is in use.
  static Preference of(Resource resource, Topology topology, SharedPolicy policy, Request request) {
    return isOfWholeGpus(resource) && request.available().stream().noneMatch(Device::isReplica)
        ? Aligned.choose(resource, topology, request)
        : Greedy.choose(resource, policy, request);
  }

  private static boolean isOfWholeGpus(Resource resource) {
    return resource.devices().stream().map(Device::physical).noneMatch(PhysicalDevice::isMig);
  }
}
