package dev.pitcrew.agent.dra.claims.plan;

import java.nio.charset.StandardCharsets;

/// The checksum of Kubernetes' checkpoint manager: FNV-1a of 32 bits over `([]uint8)[123 34 …]`,
/// the text in which Go prints the bytes of a JSON text (pkg/util/hash).
///
/// The checkpoint is summed at each write, and each of its bytes is printed as two to four. A step
/// of FNV-1a, `(hash ^ byte) * prime`, changes only the low eight bits before it multiplies. So all
/// steps of a printed byte together are one multiplication and one addition, of a number that
/// depends on the byte and on those eight bits alone: a table has them.
final class GoSum {
  private static final int PRIME = 0x01000193;
  private static final int LOW = 0xff;
  private static final int BITS = 8;
  private static final int VALUES = 1 << BITS;
  private static final int BEGIN = fnv(0x811c9dc5, "([]uint8)[");
  private static final int[] FACTORS = new int[VALUES];
  private static final int[] SUMMANDS = new int[VALUES << BITS];

  static {
    for (int value = 0; value < VALUES; value++) {
      String printed = " " + value;
      int factor = 1;
      for (int at = 0; at < printed.length(); at++) {
        factor *= PRIME;
      }
      FACTORS[value] = factor;
      for (int low = 0; low < VALUES; low++) {
        SUMMANDS[(value << BITS) | low] = fnv(low, printed) - low * factor;
      }
    }
  }

  private int hash = BEGIN;
  private boolean isBegun;

  /// To be continued by the next call.
  void add(byte[] json) {
    int at = 0;
    if (!isBegun && json.length > 0) {
      isBegun = true;
      hash = fnv(hash, Integer.toString(json[0] & LOW)); // without a space before it
      at = 1;
    }
    int now = hash;
    for (; at < json.length; at++) {
      int value = json[at] & LOW;
      now = now * FACTORS[value] + SUMMANDS[(value << BITS) | (now & LOW)];
    }
    hash = now;
  }

  long value() {
    return Integer.toUnsignedLong(fnv(hash, "]"));
  }

  private static int fnv(int start, String text) {
    int hash = start;
    for (byte one : text.getBytes(StandardCharsets.US_ASCII)) {
      hash = (hash ^ one) * PRIME;
    }
    return hash;
  }
}
