package dev.pitcrew.device.inventory;

import java.util.Optional;
import java.util.OptionalInt;

/// The PCI function of a GPU, as `/sys/bus/pci/devices` shows it.
///
/// @param address the name of its folder there, such as `0000:3b:00.0`
/// @param pciClass the class code, such as `0x030200`; empty where the kernel does not show it
/// @param numaNode empty where the kernel knows none
/// @param root the PCIe root complex to which it belongs, such as `pci0000:3a`; empty where sysfs
///   does not show it
public record PciFunction(
    String address, OptionalInt pciClass, OptionalInt numaNode, Optional<String> root) {

  /// Of an unknown root complex.
  public PciFunction(String address, OptionalInt pciClass, OptionalInt numaNode) {
    this(address, pciClass, numaNode, Optional.empty());
  }
}
