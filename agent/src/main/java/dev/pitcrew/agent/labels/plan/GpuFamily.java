package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.ComputeCapability;

/// The architecture that belongs to a compute capability, as `nvidia.com/gpu.family` says it.
final class GpuFamily {
  private GpuFamily() {}

  static String of(ComputeCapability capability) {
    return switch (capability.major()) {
      case 1 -> "tesla";
      case 2 -> "fermi";
      case 3 -> "kepler";
      case 5 -> "maxwell";
      case 6 -> "pascal";
      case 7 -> capability.minor() < 5 ? "volta" : "turing";
      case 8 -> capability.minor() < 9 ? "ampere" : "ada-lovelace";
      case 9 -> "hopper";
      case 10, 12 -> "blackwell";
      case 13 -> "rubin";
      default -> "undefined";
    };
  }
}
