package dev.pitcrew.device.inventory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The GPUs of one node as they were read at one moment.
///
/// @param gpus in the order of their NVML index, which may have gaps
/// @param unreadable GPUs that NVML counts but that did not answer; they take none of the others
///   along
public record Inventory(
    DriverVersion driver, List<Gpu> gpus, List<UnreadableGpu> unreadable, Topology topology) {
  public Inventory {
    gpus = List.copyOf(gpus);
    unreadable = List.copyOf(unreadable);
  }

  /// The GPUs that have not joined the NVLink fabric although others have, and how far they are, by
  /// UUID. Where none has joined it is the fabric that is missing, and not a GPU.
  public Map<String, String> outsideFabric() {
    var outside = new HashMap<String, String>();
    for (Gpu gpu : gpus) {
      if (gpu.fabric() instanceof Fabric.Pending(var progress)) {
        outside.put(gpu.uuid(), progress);
      }
    }
    return outside.size() == gpus.size() ? Map.of() : Map.copyOf(outside);
  }

  /// Whether no GPU can be used until the NVLink fabric is set up.
  public boolean lacksFabric() {
    return !gpus.isEmpty() && gpus.stream().allMatch(it -> it.fabric() instanceof Fabric.Pending);
  }
}
