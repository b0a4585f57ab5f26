package dev.pitcrew.device.inventory;

import java.util.List;
import java.util.Set;

/// Whether a GPU can be divided (Multi-Instance GPU) and whether it is.
public sealed interface Mig {

  /// The GPU or its driver knows no MIG.
  record NotCapable() implements Mig {}

  /// The GPU could be divided into `supported` profiles.
  record Disabled(Set<MigProfile> supported) implements Mig {
    public Disabled {
      supported = Set.copyOf(supported);
    }
  }

  /// The GPU is in MIG mode; without `devices` nothing of it can be used.
  ///
  /// @param devices in the order of their MIG index
  record Enabled(Set<MigProfile> supported, List<MigDevice> devices) implements Mig {
    public Enabled {
      supported = Set.copyOf(supported);
      devices = List.copyOf(devices);
    }
  }

  /// The profiles into which the GPU can be divided.
  default Set<MigProfile> supportedProfiles() {
    return switch (this) {
      case NotCapable() -> Set.of();
      case Disabled(var supported) -> supported;
      case Enabled(var supported, _) -> supported;
    };
  }

  default List<MigDevice> migDevices() {
    return this instanceof Enabled(_, var devices) ? devices : List.of();
  }

  default boolean isCapable() {
    return !(this instanceof NotCapable);
  }

  default boolean isEnabled() {
    return this instanceof Enabled;
  }
}
