package dev.pitcrew.device.dra;

import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.WholeGpu;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The devices of a node that ResourceClaims can be allocated.
///
/// @param devices by the minor of their GPU and then by their placement
/// @param problems a line for each GPU instance that cannot be claimed
public record ClaimDevices(List<ClaimDevice> devices, List<String> problems) {
  static final Comparator<Gpu> BY_ADDRESS = Comparator.comparing(gpu -> gpu.pci().address());

  public ClaimDevices {
    devices = List.copyOf(devices);
    problems = List.copyOf(problems);
  }

  public static ClaimDevices of(Inventory inventory) {
    var devices = new ArrayList<ClaimDevice>();
    var problems = new ArrayList<String>();
    inventory.gpus().stream()
        .sorted(Comparator.comparingInt(Gpu::minor))
        .forEach(gpu -> addAsItIs(gpu, devices, problems));
    return new ClaimDevices(devices, problems);
  }

  private static void addAsItIs(Gpu gpu, List<ClaimDevice> devices, List<String> problems) {
    if (gpu.mig().isEnabled()) {
      devices.addAll(parts(gpu, gpu.mig().migDevices(), problems));
    } else {
      devices.add(new WholeGpu(gpu));
    }
  }

  /// With MIG devices that are made for claims, where a GPU can have them.
  ///
  /// @param own the names of the partitions that claims have made, or are about to make
  /// @return by the PCI address of their GPU and then by name
  public static ClaimDevices partitioned(Inventory inventory, Set<String> own) {
    var devices = new ArrayList<ClaimDevice>();
    var problems = new ArrayList<String>();
    inventory.gpus().stream()
        .sorted(BY_ADDRESS)
        .forEach(gpu -> {
          Optional<PartitionableGpu> partitionable = PartitionableGpu.of(gpu, own);
          partitionable.ifPresentOrElse(
              it -> devices.addAll(it.devices(problems)), () -> addAsItIs(gpu, devices, problems));
          if (partitionable.isEmpty() && PartitionableGpu.lacksPlacements(gpu)) {
            problems.add(
                "GPU %d: driver %s lists no MIG placements while MIG mode is off; claims get the whole GPU. Drivers from R550 on list them"
                    .formatted(gpu.index(), inventory.driver().driver()));
          }
        });
    return new ClaimDevices(devices, problems);
  }

  /// The name of a MIG device names its GPU instance: with several compute instances in it, none of
  /// them has a name of its own.
  static List<MigPart> parts(Gpu gpu, List<MigDevice> all, List<String> problems) {
    var parts = new ArrayList<MigPart>();
    Map<Integer, List<MigDevice>> byInstance =
        all.stream()
            .collect(
                Collectors.groupingBy(
                    device -> device.place().gpuInstance(), TreeMap::new, Collectors.toList()));
    byInstance.forEach((instance, inside) -> {
      MigDevice first = inside.getFirst();
      if (inside.size() > 1) {
        problems.add(
            "GPU %d: GPU instance %d has %d compute instances; claims cannot be allocated them"
                .formatted(gpu.index(), instance, inside.size()));
      } else if (first.placement().isEmpty()) {
        problems.add(
            "GPU %d: the placement of GPU instance %d is unknown; claims cannot be allocated it"
                .formatted(gpu.index(), instance));
      } else {
        parts.add(new MigPart(gpu, first));
      }
    });
    parts.sort(Comparator.comparingInt(part -> part.placement().start()));
    return parts;
  }
}
