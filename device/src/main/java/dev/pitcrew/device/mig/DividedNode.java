package dev.pitcrew.device.mig;

import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.List;

/// The GPUs of a node as the code that divides them sees them.
///
/// @param gpus in the order of their NVML index
/// @param unreadable those of which nothing can be said at this moment
public record DividedNode(List<DividedGpu> gpus, List<UnreadableGpu> unreadable) {
  public DividedNode {
    gpus = List.copyOf(gpus);
    unreadable = List.copyOf(unreadable);
  }
}
