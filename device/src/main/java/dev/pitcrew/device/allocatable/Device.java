package dev.pitcrew.device.allocatable;

import java.util.Comparator;
import java.util.Optional;

/// One unit of a resource, as the kubelet counts it.
///
/// @param id what the kubelet calls it and keeps in its checkpoint: the UUID, or
///   `<uuid>::<replica>`
/// @param replica which of the replicas it is, from 0
/// @param replicas how often the physical device is offered; 0 if it is not shared
/// @param unhealthyReason why it must not be allocated; empty for a healthy one
public record Device(
    String id,
    PhysicalDevice physical,
    int replica,
    int replicas,
    Optional<String> unhealthyReason) {
  private static final String REPLICA_MARK = "::";

  /// The order in which devices are listed.
  static final Comparator<Device> ORDER =
      Comparator.comparing((Device device) -> device.physical().place())
          .thenComparingInt(Device::replica);

  /// A device that is offered once.
  public static Device whole(PhysicalDevice physical, Optional<String> unhealthyReason) {
    return new Device(physical.uuid(), physical, 0, 0, unhealthyReason);
  }

  /// One of `total` replicas of this device.
  Device replica(int number, int total) {
    return new Device(
        physical.uuid() + REPLICA_MARK + number, physical, number, total, unhealthyReason);
  }

  /// The same device, unhealthy for a reason of its resource unless it has a reason of its own.
  Device unhealthyWith(String reason) {
    return isHealthy() ? new Device(id, physical, replica, replicas, Optional.of(reason)) : this;
  }

  public boolean isHealthy() {
    return unhealthyReason.isEmpty();
  }

  /// Whether an id names a replica.
  public static boolean isReplica(String id) {
    return id.contains(REPLICA_MARK);
  }

  /// The UUID in an id of either form.
  public static String uuidOf(String id) {
    int mark = id.indexOf(REPLICA_MARK);
    return mark < 0 ? id : id.substring(0, mark);
  }
}
