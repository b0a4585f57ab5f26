package dev.pitcrew.agent.command;

import dev.pitcrew.agent.command.NodeReader.Reading;
import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.nvml.Answer;

/// Reads the GPUs through NVML, which is open only meanwhile: an open one would keep the driver
/// from being replaced.
public final class NvmlReader implements NodeReader {
  @Override
  public Reading read(NodePlaces places) {
    return switch (Gpus.open(places.gpuSettings())) {
      case Answer.Value<Gpus>(var gpus) -> read(gpus);
      case Answer<Gpus> none -> new Reading.NoDriver(none.reason());
    };
  }

  private static Reading read(Gpus gpus) {
    try (gpus) {
      return switch (gpus.inventory()) {
        case Answer.Value<Inventory>(var inventory) -> new Reading.Read(inventory);
        case Answer<Inventory> none -> new Reading.NoDriver(none.reason());
      };
    }
  }
}
