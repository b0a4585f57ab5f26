package dev.pitcrew.device.inventory;

import java.util.List;
import java.util.Set;

/// Whether a GPU can be divided (Multi-Instance GPU) and whether it is.
public sealed interface Mig {

  /// The GPU or its driver knows no MIG.
  record NotCapable() implements Mig {}

  /// The GPU could be divided into `supported` profiles.
  ///
  /// @param partitions the GPU instances that it could have; none where the driver lists them in
  ///   MIG mode only, as R535 and older do
  record Disabled(Set<MigProfile> supported, List<PartitionProfile> partitions) implements Mig {
    public Disabled {
      supported = Set.copyOf(supported);
      partitions = List.copyOf(partitions);
    }

    public Disabled(Set<MigProfile> supported) {
      this(supported, List.of());
    }
  }

  /// The GPU is in MIG mode; without `devices` nothing of it can be used.
  ///
  /// @param devices in the order of their MIG index
  /// @param partitions the GPU instances that it could have if it had none
  /// @param instances the GPU instances that it has, as far as they are known: also those without a
  ///   compute instance, which are no MIG devices
  record Enabled(
      Set<MigProfile> supported,
      List<MigDevice> devices,
      List<PartitionProfile> partitions,
      List<MigPlacement> instances)
      implements Mig {
    public Enabled {
      supported = Set.copyOf(supported);
      devices = List.copyOf(devices);
      partitions = List.copyOf(partitions);
      instances = List.copyOf(instances);
    }

    public Enabled(Set<MigProfile> supported, List<MigDevice> devices) {
      this(supported, devices, List.of(), List.of());
    }

    /// The same with other MIG devices.
    public Enabled with(List<MigDevice> others) {
      return new Enabled(supported, others, partitions, instances);
    }
  }

  /// The profiles into which the GPU can be divided.
  default Set<MigProfile> supportedProfiles() {
    return switch (this) {
      case NotCapable() -> Set.of();
      case Disabled disabled -> disabled.supported();
      case Enabled enabled -> enabled.supported();
    };
  }

  default List<MigDevice> migDevices() {
    return this instanceof Enabled enabled ? enabled.devices() : List.of();
  }

  /// The GPU instances that it could have if it had none.
  default List<PartitionProfile> partitionProfiles() {
    return switch (this) {
      case NotCapable() -> List.of();
      case Disabled disabled -> disabled.partitions();
      case Enabled enabled -> enabled.partitions();
    };
  }

  default boolean isCapable() {
    return !(this instanceof NotCapable);
  }

  default boolean isEnabled() {
    return this instanceof Enabled;
  }
}
