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
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The devices of a node that ResourceClaims can be allocated.
///
/// @param devices by the minor of their GPU and then by their placement
/// @param problems a line for each GPU instance that cannot be claimed
public record ClaimDevices(List<ClaimDevice> devices, List<String> problems) {
  public ClaimDevices {
    devices = List.copyOf(devices);
    problems = List.copyOf(problems);
  }

  public static ClaimDevices of(Inventory inventory) {
    var devices = new ArrayList<ClaimDevice>();
    var problems = new ArrayList<String>();
    inventory.gpus().stream()
        .sorted(Comparator.comparingInt(Gpu::minor))
        .forEach(gpu -> {
          if (gpu.mig().isEnabled()) {
            addParts(gpu, devices, problems);
          } else {
            devices.add(new WholeGpu(gpu));
          }
        });
    return new ClaimDevices(devices, problems);
  }

  /// The name of a MIG device names its GPU instance: with several compute instances in it, none of
  /// them has a name of its own.
  private static void addParts(Gpu gpu, List<ClaimDevice> devices, List<String> problems) {
    var parts = new ArrayList<MigPart>();
    Map<Integer, List<MigDevice>> byInstance =
        gpu.mig().migDevices().stream()
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
    devices.addAll(parts);
  }
}
