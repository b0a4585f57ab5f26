package dev.pitcrew.hardware.pci;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Addresses of PCI functions, as the kernel and as NVML write them.
public final class PciAddress {
  private static final Pattern ADDRESS =
      Pattern.compile("([0-9a-fA-F]{4,8}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\\.([0-7])");

  private PciAddress() {}

  static boolean isAddress(String text) {
    return ADDRESS.matcher(text).matches();
  }

  /// The kernel's form, such as `0000:3b:00.0`, of NVML's `00000000:3B:00.0`: the domain has four
  /// digits, more only where it needs them. Empty where the text is no address.
  public static Optional<String> ofNvml(String busId) {
    var parts = ADDRESS.matcher(busId);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int domain = Integer.parseUnsignedInt(parts.group(1), 16);
    var rest = "%s:%s.%s".formatted(parts.group(2), parts.group(3), parts.group(4));
    return Optional.of("%04x:%s".formatted(domain, rest.toLowerCase(Locale.ROOT)));
  }
}
