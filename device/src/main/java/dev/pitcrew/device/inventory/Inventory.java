package dev.pitcrew.device.inventory;

import java.util.List;

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
}
