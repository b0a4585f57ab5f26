package dev.pitcrew.agent.health;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What an event makes unhealthy: the GPU that it names, or exactly the MIG devices that it names.
/// An event that names no GPU affects all.
final class Affected {

  private Affected() {}

  /// @return UUIDs of GPUs and MIG devices
  static Set<String> by(XidEvent event, Inventory inventory) {
    return inventory.gpus().stream()
        .filter(gpu -> event.gpuUuid().map(gpu.uuid()::equals).orElse(true))
        .flatMap(gpu -> within(gpu, event))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Stream<String> within(Gpu gpu, XidEvent event) {
    return event.gpuInstance().isPresent() && gpu.mig().isEnabled()
        ? gpu.mig().migDevices().stream().filter(part -> covers(event, part)).map(MigDevice::uuid)
        : Stream.of(gpu.uuid());
  }

  private static boolean covers(XidEvent event, MigDevice part) {
    return event.covers(part.place().gpuInstance(), part.place().computeInstance());
  }
}
