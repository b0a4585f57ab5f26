package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Architecture;
import dev.pitcrew.device.inventory.ComputeCapability;
import java.util.Locale;

/// The architecture that belongs to a compute capability, as `nvidia.com/gpu.family` says it.
final class GpuFamily {
  private GpuFamily() {}

  static String of(ComputeCapability capability) {
    return Architecture.of(capability).title().toLowerCase(Locale.ROOT).replace(' ', '-');
  }
}
