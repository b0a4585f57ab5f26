package dev.pitcrew.device.mig;

import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.List;

/// The GPUs of a node as the code that divides them sees them.
///
/// @param gpus in the order of their NVML index
/// @param unreadable those of which nothing can be said at this moment
public record MigNode(List<MigGpu> gpus, List<UnreadableGpu> unreadable) {
  public MigNode {
    gpus = List.copyOf(gpus);
    unreadable = List.copyOf(unreadable);
  }
}
