package dev.pitcrew.core.digest;

import java.nio.charset.StandardCharsets;

/// FNV-1a over 32 bits, as the driver container and the driver manager compare it.
public final class Fnv32a {
  private static final int OFFSET_BASIS = 0x811C9DC5;
  private static final int PRIME = 0x01000193;

  private Fnv32a() {}

  /// The digest of the text's UTF-8 bytes as an unsigned decimal number.
  public static String decimal(String text) {
    int hash = OFFSET_BASIS;
    for (byte octet : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (octet & 0xFF)) * PRIME;
    }
    return Integer.toUnsignedString(hash);
  }
}
