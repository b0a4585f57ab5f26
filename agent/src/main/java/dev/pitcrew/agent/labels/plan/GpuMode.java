package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Gpu;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/// Whether a node's GPUs drive displays, by their PCI class.
enum GpuMode {
  COMPUTE,
  GRAPHICS,
  UNKNOWN;

  private static final int VGA_CONTROLLER = 0x030000;
  private static final int THREE_D_CONTROLLER = 0x030200;

  static GpuMode of(List<Gpu> gpus) {
    List<OptionalInt> classes = gpus.stream().map(gpu -> gpu.pci().pciClass()).distinct().toList();
    return classes.size() == 1 ? of(classes.getFirst()) : UNKNOWN;
  }

  private static GpuMode of(OptionalInt pciClass) {
    return switch (pciClass.orElse(0)) {
      case VGA_CONTROLLER -> GRAPHICS;
      case THREE_D_CONTROLLER -> COMPUTE;
      default -> UNKNOWN;
    };
  }

  String value() {
    return name().toLowerCase(Locale.ROOT);
  }
}
