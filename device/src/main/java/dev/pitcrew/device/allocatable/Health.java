package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.Map;
import java.util.Optional;

/// Which GPUs and MIG devices must not be allocated at this moment.
///
/// @param unhealthy why, by the UUID of a GPU or of a MIG device
public record Health(Map<String, String> unhealthy) {
  public static final Health ALL_WELL = new Health(Map.of());

  public Health {
    unhealthy = Map.copyOf(unhealthy);
  }

  /// Why a whole GPU is unhealthy: itself, or any part of it, as its user gets all parts.
  public Optional<String> of(Gpu gpu) {
    return ofUuid(gpu.uuid())
        .or(() ->
            gpu.mig().migDevices().stream()
                .flatMap(part -> ofUuid(part.uuid()).stream())
                .findFirst());
  }

  /// Why a MIG device is unhealthy: itself, or its GPU. Its siblings do not count.
  public Optional<String> of(Gpu gpu, MigDevice part) {
    return ofUuid(part.uuid()).or(() -> ofUuid(gpu.uuid()));
  }

  private Optional<String> ofUuid(String uuid) {
    return Optional.ofNullable(unhealthy.get(uuid));
  }
}
