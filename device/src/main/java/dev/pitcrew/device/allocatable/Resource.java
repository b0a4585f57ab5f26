package dev.pitcrew.device.allocatable;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/// One extended resource of a node.
///
/// @param name its full name, such as `nvidia.com/gpu`
/// @param devices ordered by NVML index, MIG index and replica
/// @param limitsSharedRequests whether a container may have no more than one replica
public record Resource(String name, List<Device> devices, boolean limitsSharedRequests) {
  public Resource {
    devices = List.copyOf(devices);
  }

  public Optional<Device> device(String id) {
    return devices.stream().filter(device -> device.id().equals(id)).findFirst();
  }

  /// A resource of which no device may be allocated, such as one whose MPS daemon is dead.
  public Resource unhealthyWith(String reason) {
    return new Resource(
        name,
        devices.stream().map(device -> device.unhealthyWith(reason)).toList(),
        limitsSharedRequests);
  }

  public Resource withoutDevices() {
    return new Resource(name, List.of(), limitsSharedRequests);
  }

  Resource without(Set<String> uuids) {
    return new Resource(
        name,
        devices.stream().filter(device -> !uuids.contains(device.physical().uuid())).toList(),
        limitsSharedRequests);
  }

  /// The name without its domain.
  public String localName() {
    return name.substring(name.indexOf('/') + 1);
  }
}
