package dev.pitcrew.agent.labels;

import java.util.List;
import java.util.Optional;

/// What labels say of the machine around the GPUs.
///
/// @param machineType what the machine calls itself; empty where that cannot be read
/// @param configSpaces the PCI configuration spaces of all NVIDIA functions; empty where one cannot
///   be read whole, which takes privileges
public record MachineFacts(
    Optional<String> machineType, Optional<List<PciConfigSpace>> configSpaces) {
  public MachineFacts {
    configSpaces = configSpaces.map(List::copyOf);
  }
}
