package dev.pitcrew.device.dra;

import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PartitionProfile;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// A device that a ResourceClaim can be allocated. The names are those of NVIDIA's DRA driver, so
/// that claims allocated under it stay valid.
public sealed interface ClaimDevice {
  /// The driver in ResourceSlices and claims.
  String DRIVER = "gpu.nvidia.com";

  /// Unique in the pool of the node; a DNS label.
  String name();

  /// Empty for a [Partition], which has a UUID of its own while a claim holds it.
  String uuid();

  /// The GPU that it is, or is a part of.
  Gpu gpu();

  /// The UUIDs of the GPU and of the MIG devices whose failure is one of this device: those that it
  /// is, is a part of, or has as parts. Its siblings are not among them.
  Stream<String> failsWith();

  /// Why it must not be allocated; empty where it may.
  default Optional<String> unhealthy(Health health) {
    return failsWith()
        .flatMap(uuid -> Optional.ofNullable(health.unhealthy().get(uuid)).stream())
        .findFirst();
  }

  /// A GPU without MIG.
  record WholeGpu(Gpu gpu) implements ClaimDevice {
    @Override
    public String name() {
      return "gpu-" + gpu.minor();
    }

    @Override
    public String uuid() {
      return gpu.uuid();
    }

    @Override
    public Stream<String> failsWith() {
      return Stream.concat(
          Stream.of(gpu.uuid()), gpu.mig().migDevices().stream().map(MigDevice::uuid));
    }
  }

  /// A MIG device that was there before the claim, the only one of its GPU instance.
  ///
  /// @param device with a known placement
  record MigPart(Gpu gpu, MigDevice device) implements ClaimDevice {
    public MigPart {
      if (device.placement().isEmpty()) {
        throw new IllegalArgumentException(device.uuid() + " has no placement");
      }
    }

    @Override
    public String name() {
      MigProfile own = device.profile();
      return partName(
          gpu,
          new MigProfile(own.gpuSlices(), own.gpuSlices(), own.memoryGigabytes(), own.attribute()),
          placement());
    }

    @Override
    public String uuid() {
      return device.uuid();
    }

    @Override
    public Stream<String> failsWith() {
      return Stream.of(device.uuid(), gpu.uuid());
    }

    public MigPlacement placement() {
      return device.placement().orElseThrow();
    }
  }

  /// A MIG device that is made for the claim that is allocated it, and removed when the claim is
  /// unprepared. It has the name of a [MigPart] of its profile at its place.
  ///
  /// @param placement one of the profile's
  record Partition(Gpu gpu, PartitionProfile profile, MigPlacement placement)
      implements ClaimDevice {
    @Override
    public String name() {
      return partName(gpu, profile.shape(), placement);
    }

    @Override
    public String uuid() {
      return "";
    }

    /// Of MIG devices the one that a claim has made here.
    @Override
    public Stream<String> failsWith() {
      return Stream.concat(
          gpu.mig().migDevices().stream()
              .filter(device -> device.placement().filter(placement::equals).isPresent())
              .map(MigDevice::uuid),
          Stream.of(gpu.uuid()));
    }
  }

  /// A GPU for a virtual machine. While a claim holds it the kernel driver for virtual machines has
  /// it, so that NVML does not list it.
  ///
  /// @param gpu as the driver read it last
  record Passthrough(PassthroughGpu function, Gpu gpu) implements ClaimDevice {
    @Override
    public String name() {
      return function.name();
    }

    @Override
    public String uuid() {
      return function.uuid();
    }

    @Override
    public Stream<String> failsWith() {
      return Stream.of(gpu.uuid());
    }
  }

  /// `gpu-<minor>-mig-<profile>-<id of the profile>-<first slice>`. The profile is that of the GPU
  /// instance, without dots and with `-` for what a DNS label cannot have.
  private static String partName(Gpu gpu, MigProfile profile, MigPlacement placement) {
    String label =
        profile.name().toLowerCase(Locale.ROOT).replace(".", "").replaceAll("[^a-z0-9-]", "-");
    return "gpu-%d-mig-%s-%d-%d"
        .formatted(gpu.minor(), label, placement.profileId(), placement.start());
  }

  /// Those of a node, by the minor of their GPU and then by their placement. A GPU in MIG mode is
  /// none itself. What cannot be claimed is missing: [ClaimDevices] says why.
  static List<ClaimDevice> of(Inventory inventory) {
    return ClaimDevices.of(inventory).devices();
  }

  /// As [#of(Inventory)], or with MIG devices that are made for claims.
  ///
  /// @param own the names of the partitions that claims have made, or are about to make; empty
  ///   where MIG devices are not made for claims
  static List<ClaimDevice> of(Inventory inventory, Optional<Set<String>> own) {
    return own.map(it -> ClaimDevices.partitioned(inventory, it))
        .orElseGet(() -> ClaimDevices.of(inventory))
        .devices();
  }
}
