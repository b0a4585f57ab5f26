package dev.pitcrew.agent.command;

import dev.pitcrew.agent.host.NodePlaces;
import dev.pitcrew.device.inventory.Inventory;

/// Reads the GPUs of this node.
@FunctionalInterface
public interface NodeReader {
  Reading read(NodePlaces places);

  /// What came of it.
  sealed interface Reading {
    record Read(Inventory inventory) implements Reading {}

    /// @param reason why NVML could not be opened
    record NoDriver(String reason) implements Reading {}
  }
}
