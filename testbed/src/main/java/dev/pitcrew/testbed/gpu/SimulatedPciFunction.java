package dev.pitcrew.testbed.gpu;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A PCI function of a simulated node: a GPU, or anything else that a server has.
///
/// @param address such as `0000:3b:00.0`
/// @param id vendor in the upper 16 bits, device in the lower
/// @param pciClass such as `0x030200`
/// @param numaNode negative for none
/// @param driver the kernel driver that is bound to it
/// @param more further files of its folder, such as `sriov_totalvfs`
public record SimulatedPciFunction(
    String address,
    int id,
    int pciClass,
    int numaNode,
    Optional<String> driver,
    Map<String, String> more) {
  private static final int CONFIGURATION_SPACE = 256;
  private static final int WORD = 16;
  private static final int CLASS_OFFSET = 9;

  public SimulatedPciFunction {
    more = Map.copyOf(more);
  }

  /// A ConnectX-6 network function with SR-IOV.
  public static SimulatedPciFunction networkCard(String address) {
    return new SimulatedPciFunction(
        address, 0x15b3101b, 0x020000, 0, Optional.of("mlx5_core"), Map.of("sriov_totalvfs", "16"));
  }

  /// A processing accelerator of NVIDIA, which the kernel module nvidia does not bind: its table
  /// has display controllers only (nv_pci_table in kernel-open/nvidia/nv-pci-table.c).
  public static SimulatedPciFunction accelerator(String address) {
    return new SimulatedPciFunction(address, 0x10de2330, 0x120000, 0, Optional.empty(), Map.of());
  }

  /// Its text files, by name.
  Map<String, String> files() {
    var files = new TreeMap<>(more);
    files.put("vendor", "0x%04x".formatted(id >>> WORD));
    files.put("device", "0x%04x".formatted(id & 0xffff));
    files.put("subsystem_vendor", "0x%04x".formatted(id >>> WORD));
    files.put("subsystem_device", "0x%04x".formatted(id & 0xffff));
    files.put("class", "0x%06x".formatted(pciClass));
    files.put("numa_node", String.valueOf(numaNode));
    return files;
  }

  /// Its configuration space, without capabilities.
  byte[] configurationSpace() {
    byte[] space = new byte[CONFIGURATION_SPACE];
    put(space, 0, id >>> WORD);
    put(space, 2, id & 0xffff);
    put(space, CLASS_OFFSET, pciClass & 0xffff);
    space[CLASS_OFFSET + 2] = (byte) (pciClass >>> WORD);
    return space;
  }

  private static void put(byte[] space, int place, int word) {
    space[place] = (byte) word;
    space[place + 1] = (byte) (word >>> Byte.SIZE);
  }
}
