package dev.pitcrew.device.dra;

import java.util.List;

/// An amount as Kubernetes writes it (`resource.Quantity`), in the canonical form in which the API
/// server stores it: the largest suffix that needs no fraction.
///
/// @param text such as `80Gi` or `14`
public record Quantity(String text) {
  private static final int BINARY = 1024;
  private static final int DECIMAL = 1000;
  private static final List<String> BINARY_SUFFIXES = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi");
  private static final List<String> DECIMAL_SUFFIXES = List.of("", "k", "M", "G", "T", "P");

  /// An amount of memory. The server takes a number without a binary suffix for a decimal one.
  public static Quantity ofBytes(long bytes) {
    return bytes % BINARY == 0 ? canonical(bytes, BINARY, BINARY_SUFFIXES) : ofCount(bytes);
  }

  /// A number of things.
  public static Quantity ofCount(long count) {
    return canonical(count, DECIMAL, DECIMAL_SUFFIXES);
  }

  private static Quantity canonical(long amount, int base, List<String> suffixes) {
    long left = amount;
    int power = 0;
    while (left != 0 && left % base == 0 && power < suffixes.size() - 1) {
      left /= base;
      power++;
    }
    return new Quantity(left + suffixes.get(power));
  }
}
