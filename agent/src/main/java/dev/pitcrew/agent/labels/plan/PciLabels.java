package dev.pitcrew.agent.labels.plan;

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

  private PciLabels() {}

  static Map<String, String> of(List<PciDevice> functions) {
    var labels = new TreeMap<String, String>();
    functions.stream()
        .filter(PciLabels::counts)
        .forEach(function -> names(function).forEach(name -> put(labels, name, function)));
    return labels;
  }

  private static boolean counts(PciDevice function) {
    return function.isNvidia()
        ? function.isNvidiaGpu()
        : function.isDisplayController() || function.pciClass() >>> 16 == NETWORK;
  }

  /// A display controller of NVIDIA has its name with the class as well: charts select on either.
  private static Stream<String> names(PciDevice function) {
    String vendor = hex(function.identity().vendor());
    return function.isNvidia() && function.isDisplayController()
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
