package dev.pitcrew.hardware.pci;

import java.util.Optional;
import java.util.OptionalInt;

/// One PCI function, as its folder in `/sys/bus/pci/devices` shows it.
///
/// @param address the name of that folder, such as `0000:3b:00.0`
/// @param pciClass six hex digits, such as `0x030200`
/// @param totalVirtualFunctions of SR-IOV; empty where the function has none
/// @param driver the kernel driver that is bound to it, such as `nvidia` or `vfio-pci`
public record PciDevice(
    String address,
    Identity identity,
    int pciClass,
    OptionalInt numaNode,
    OptionalInt totalVirtualFunctions,
    boolean isVirtualFunction,
    Optional<String> driver) {
  public static final int NVIDIA = 0x10de;
  private static final int VGA_CONTROLLER = 0x0300;
  private static final int CONTROLLER_3D = 0x0302;
  private static final int PROCESSING_ACCELERATOR = 0x12;

  /// Who made the function and what it is; the subsystem is 0 where the kernel does not show it.
  public record Identity(int vendor, int device, int subsystemVendor, int subsystemDevice) {}

  /// The first four hex digits of the class: base class and subclass.
  public int classAndSubclass() {
    return pciClass >>> 8;
  }

  public boolean isNvidia() {
    return identity.vendor() == NVIDIA;
  }

  /// Whether it is a GPU of NVIDIA: a display controller or a processing accelerator, not its audio
  /// function, a switch or a network function. The gate (native/gate/gpu.c) has the same rule.
  public boolean isNvidiaGpu() {
    return isNvidia() && (isDisplayController() || isAccelerator());
  }

  /// A VGA or 3D controller. The kernel module nvidia binds GPUs of these two classes alone
  /// (nv_pci_table in kernel-open/nvidia/nv-pci-table.c).
  public boolean isDisplayController() {
    return classAndSubclass() == VGA_CONTROLLER || classAndSubclass() == CONTROLLER_3D;
  }

  private boolean isAccelerator() {
    return pciClass >>> 16 == PROCESSING_ACCELERATOR;
  }
}
