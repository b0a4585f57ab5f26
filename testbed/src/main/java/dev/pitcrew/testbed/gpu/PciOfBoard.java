package dev.pitcrew.testbed.gpu;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The PCI functions that come with a board: the GPU itself and the NVSwitches of its server.
///
/// @param gpuId vendor and device of a GPU
/// @param switchId vendor and device of a switch; 0 without switches
record PciOfBoard(int gpuId, int switchId, List<Integer> switchBuses) {
  private static final int CONTROLLER_3D = 0x030200;
  private static final int OTHER_BRIDGE = 0x068000;
  private static final PciOfBoard UNKNOWN = new PciOfBoard(0x10de0000, 0, List.of());
  private static final List<Integer> FOUR_SWITCHES = List.of(0x07, 0x08, 0x09, 0x0a);
  private static final List<Integer> SIX_SWITCHES = List.of(0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9);

  private static final Map<String, PciOfBoard> BOARDS =
      Map.of(
          "t4", new PciOfBoard(0x10de1eb8, 0, List.of()),
          "l40s", new PciOfBoard(0x10de26b9, 0, List.of()),
          "a30", new PciOfBoard(0x10de20b7, 0, List.of()),
          "a100-40g", new PciOfBoard(0x10de20b0, 0x10de1af1, SIX_SWITCHES),
          "a100-80g", new PciOfBoard(0x10de20b2, 0x10de1af1, SIX_SWITCHES),
          "h100", new PciOfBoard(0x10de2330, 0x10de22a3, FOUR_SWITCHES),
          "h200", new PciOfBoard(0x10de2335, 0x10de22a3, FOUR_SWITCHES),
          "b200", new PciOfBoard(0x10de2901, 0x10de22a3, List.of(0x05, 0x06)),
          "gb200", new PciOfBoard(0x10de2941, 0, List.of()));

  static PciOfBoard of(String profile) {
    return BOARDS.getOrDefault(profile, UNKNOWN);
  }

  SimulatedPciFunction gpu(SimulatedGpu gpu) {
    return function(gpu.pciAddress(), gpuId, CONTROLLER_3D, gpu.numaNode());
  }

  List<SimulatedPciFunction> switches() {
    return switchBuses.stream()
        .map(bus -> function("0000:%02x:00.0".formatted(bus), switchId, OTHER_BRIDGE, 0))
        .toList();
  }

  private static SimulatedPciFunction function(String address, int id, int pciClass, int numa) {
    var driver = pciClass == OTHER_BRIDGE ? "nvidia-nvswitch" : "nvidia";
    return new SimulatedPciFunction(address, id, pciClass, numa, Optional.of(driver), Map.of());
  }
}
