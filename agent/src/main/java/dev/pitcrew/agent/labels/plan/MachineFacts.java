package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.hardware.pci.VirtualGpu;
import java.util.List;
import java.util.Optional;

/// What labels say of the machine around the GPUs.
///
/// @param machineType what the machine calls itself; empty where that cannot be read
/// @param virtualGpus what each PCI function of NVIDIA reports
public record MachineFacts(Optional<String> machineType, List<VirtualGpu> virtualGpus) {
  public MachineFacts {
    virtualGpus = List.copyOf(virtualGpus);
  }
}
