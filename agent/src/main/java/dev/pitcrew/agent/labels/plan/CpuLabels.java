package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.core.names.NodeLabels;
import java.util.Map;
import java.util.Optional;

/// The maker of the processor, from `/proc/cpuinfo`. Charts select the nodes of integrated GPUs by
/// it.
final class CpuLabels {
  private static final String VENDOR = NodeLabels.FEATURE_PREFIX + "cpu-model.vendor_id";

  private CpuLabels() {}

  static Map<String, String> of(String cpuinfo) {
    return value(cpuinfo, "vendor_id")
        .flatMap(CpuLabels::x86)
        .or(() -> value(cpuinfo, "CPU implementer").flatMap(CpuLabels::arm))
        .map(vendor -> Map.of(VENDOR, vendor))
        .orElse(Map.of());
  }

  private static Optional<String> x86(String vendor) {
    return switch (vendor) {
      case "GenuineIntel" -> Optional.of("Intel");
      case "AuthenticAMD" -> Optional.of("AMD");
      default -> Optional.empty();
    };
  }

  /// The implementer's number in the processor's main ID register.
  private static Optional<String> arm(String implementer) {
    return switch (implementer) {
      case "0x41" -> Optional.of("ARM");
      case "0x4e" -> Optional.of("NVIDIA");
      default -> Optional.empty();
    };
  }

  private static Optional<String> value(String cpuinfo, String key) {
    return cpuinfo
        .lines()
        .filter(line -> line.startsWith(key) && line.contains(":"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst();
  }
}
