package dev.pitcrew.agent.health;

import dev.pitcrew.hardware.gpu.EventType;
import dev.pitcrew.hardware.gpu.HealthSignal;
import java.util.Optional;
import java.util.OptionalInt;

/// A critical Xid as the driver reports it (nvmlEventData_t).
///
/// @param gpuUuid empty where the GPU of the event cannot be read any more
/// @param gpuInstance empty unless the event names one
/// @param computeInstance empty unless the event names one
public record XidEvent(
    Optional<String> gpuUuid, long xid, OptionalInt gpuInstance, OptionalInt computeInstance) {

  /// The event of the hardware, unless it is about something else than an Xid.
  public static Optional<XidEvent> from(HealthSignal.Event event) {
    return event.type() == EventType.XID
        ? Optional.of(
            new XidEvent(
                event.gpuUuid(), event.data(), event.gpuInstance(), event.computeInstance()))
        : Optional.empty();
  }

  /// An event of a whole GPU.
  public static XidEvent of(String gpuUuid, long xid) {
    return new XidEvent(Optional.of(gpuUuid), xid, OptionalInt.empty(), OptionalInt.empty());
  }

  /// Whether the event is of a MIG device in this place.
  boolean covers(int ofGpuInstance, int ofComputeInstance) {
    return isOrIsAny(gpuInstance, ofGpuInstance) && isOrIsAny(computeInstance, ofComputeInstance);
  }

  private static boolean isOrIsAny(OptionalInt named, int actual) {
    return named.isEmpty() || named.getAsInt() == actual;
  }
}
