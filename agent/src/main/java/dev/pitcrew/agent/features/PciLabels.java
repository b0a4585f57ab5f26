package dev.pitcrew.agent.features;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.hardware.pci.PciDevice;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// `pci-<vendor>.present` for network functions and display controllers, the classes that GPU
/// operators configure NFD for. A network function of NVIDIA makes no GPU node, an accelerator
/// without display class does.
final class PciLabels {
  private static final String PREFIX = NodeLabels.FEATURE_PREFIX + "pci-";
  private static final int NETWORK = 0x02;
  private static final int ACCELERATOR = 0x12;
  private static final int VGA_CONTROLLER = 0x0300;
  private static final int CONTROLLER_3D = 0x0302;

  private PciLabels() {}

  static Map<String, String> of(List<PciDevice> functions) {
    var labels = new TreeMap<String, String>();
    functions.stream()
        .filter(PciLabels::counts)
        .forEach(function -> names(function).forEach(name -> put(labels, name, function)));
    return labels;
  }

  private static boolean counts(PciDevice function) {
    int base = function.classAndSubclass() >> 8;
    return function.isNvidia()
        ? isDisplay(function) || base == ACCELERATOR
        : isDisplay(function) || base == NETWORK;
  }

  private static boolean isDisplay(PciDevice function) {
    int pciClass = function.classAndSubclass();
    return pciClass == VGA_CONTROLLER || pciClass == CONTROLLER_3D;
  }

  /// A GPU has its name with the class as well: charts select on either.
  private static Stream<String> names(PciDevice function) {
    String vendor = hex(function.identity().vendor());
    return function.isNvidiaGpu()
        ? Stream.of(vendor, hex(function.classAndSubclass()) + "_" + vendor)
        : Stream.of(vendor);
  }

  private static void put(Map<String, String> labels, String name, PciDevice function) {
    labels.put(PREFIX + name + ".present", "true");
    if (function.totalVirtualFunctions().isPresent()) {
      labels.put(PREFIX + name + ".sriov.capable", "true");
    }
  }

  private static String hex(int number) {
    return "%04x".formatted(number);
  }
}
