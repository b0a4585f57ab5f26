package dev.pitcrew.agent.command;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigDevice;

/// An inventory for people, a line for each thing.
final class InventoryText {
  private static final int MIB_SHIFT = 20;

  private InventoryText() {}

  static String of(Inventory inventory) {
    var text = new StringBuilder();
    var driver = inventory.driver();
    text.append(
        "driver %s, CUDA %d.%d\n"
            .formatted(driver.driver(), driver.cudaMajor(), driver.cudaMinor()));
    inventory.gpus().forEach(gpu -> append(text, gpu));
    inventory
        .unreadable()
        .forEach(gpu ->
            text.append("GPU %d  cannot be read: %s\n".formatted(gpu.index(), gpu.reason())));
    return text.toString();
  }

  private static void append(StringBuilder text, Gpu gpu) {
    text.append(
        "GPU %d  %s  %s  %d MiB  %s%s\n"
            .formatted(
                gpu.index(),
                gpu.uuid(),
                gpu.board().name(),
                gpu.board().memoryBytes() >> MIB_SHIFT,
                gpu.pci().address(),
                gpu.mig() instanceof Mig.Enabled ? "  MIG enabled" : ""));
    gpu.mig().migDevices().forEach(device -> append(text, device));
  }

  private static void append(StringBuilder text, MigDevice device) {
    text.append(
        "  MIG %d  %s  %s  GPU instance %d, compute instance %d\n"
            .formatted(
                device.index(),
                device.uuid(),
                device.profile().name(),
                device.place().gpuInstance(),
                device.place().computeInstance()));
  }
}
