package dev.pitcrew.hardware.nvml;

import dev.pitcrew.hardware.pci.PciAddress;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/// The PCI address in an nvmlPciInfo_t. Older functions fill only the short text at its start.
final class PciInfo {
  private PciInfo() {}

  static Optional<String> address(MemorySegment info) {
    return field(info, "busId").or(() -> field(info, "busIdLegacy"));
  }

  private static Optional<String> field(MemorySegment info, String field) {
    return PciAddress.ofNvml(Texts.read(Layouts.bytes(info, Layouts.PCI_INFO, field)));
  }
}
