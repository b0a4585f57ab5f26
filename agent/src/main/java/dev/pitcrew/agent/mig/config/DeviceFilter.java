package dev.pitcrew.agent.mig.config;

import dev.pitcrew.device.mig.PciIds;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A board by its PCI numbers, such as `0x233510DE` or `0x233510DE:0x18BE10DE`.
///
/// @param subsystem empty is any
record DeviceFilter(int device, Optional<Integer> subsystem) {
  private static final long LARGEST = 0xFFFF_FFFFL;

  /// Empty where the text is no such thing.
  static Optional<DeviceFilter> parse(String text) {
    List<String> parts = List.of(text.split(":", -1));
    Optional<Integer> device = number(parts.getFirst());
    return switch (parts.size()) {
      case 1 -> device.map(found -> new DeviceFilter(found, Optional.empty()));
      case 2 ->
          device.flatMap(
              found -> number(parts.get(1)).map(sub -> new DeviceFilter(found, Optional.of(sub))));
      default -> Optional.empty();
    };
  }

  boolean matches(PciIds ids) {
    return device == ids.device() && subsystem.map(sub -> sub == ids.subsystem()).orElse(true);
  }

  // As Go reads a number whose base is in its text.
  private static Optional<Integer> number(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.startsWith("0x")) {
      return number(lower.substring(2), 16);
    }
    if (lower.startsWith("0b")) {
      return number(lower.substring(2), 2);
    }
    if (lower.startsWith("0o")) {
      return number(lower.substring(2), 8);
    }
    return lower.length() > 1 && lower.startsWith("0")
        ? number(lower.substring(1), 8)
        : number(lower, 10);
  }

  private static Optional<Integer> number(String digits, int base) {
    if (digits.isEmpty() || digits.chars().anyMatch(digit -> Character.digit(digit, base) < 0)) {
      return Optional.empty();
    }
    try {
      long value = Long.parseLong(digits, base);
      return value <= LARGEST ? Optional.of((int) value) : Optional.empty();
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }
}
