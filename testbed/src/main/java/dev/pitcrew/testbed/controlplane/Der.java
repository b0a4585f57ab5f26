package dev.pitcrew.testbed.controlplane;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/// The few ASN.1 DER encodings (ITU-T X.690) that an X.509 certificate is made of; the JDK reads
/// certificates but has no public way to write one.
final class Der {
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private Der() {}

  static byte[] sequence(byte[]... parts) {
    return tagged(0x30, parts);
  }

  static byte[] set(byte[]... parts) {
    return tagged(0x31, parts);
  }

  /// A constructed, explicitly tagged value: `[number]`.
  static byte[] explicit(int number, byte[] value) {
    return tagged(0xA0 | number, value);
  }

  /// A primitive, implicitly tagged value: `[number]`, as in GeneralName.
  static byte[] implicit(int number, byte[] value) {
    return tagged(0x80 | number, value);
  }

  static byte[] integer(BigInteger value) {
    return tagged(0x02, value.toByteArray());
  }

  static byte[] yes() {
    return tagged(0x01, new byte[] {(byte) 0xFF});
  }

  static byte[] octets(byte[] value) {
    return tagged(0x04, value);
  }

  /// A bit string whose last `unusedBits` bits do not count.
  static byte[] bits(int unusedBits, byte[] value) {
    return tagged(0x03, new byte[] {(byte) unusedBits}, value);
  }

  static byte[] text(String value) {
    return tagged(0x0C, value.getBytes(StandardCharsets.UTF_8));
  }

  /// UTCTime, which reaches to the end of 2049.
  static byte[] time(Instant value) {
    return tagged(0x17, UTC_TIME.format(value).getBytes(StandardCharsets.US_ASCII));
  }

  /// An object identifier in dotted form.
  static byte[] identifier(String dotted) {
    var arcs = Arrays.stream(dotted.split("\\.", -1)).mapToInt(Integer::parseInt).toArray();
    var content = new ByteArrayOutputStream();
    content.write(arcs[0] * 40 + arcs[1]);
    Arrays.stream(arcs).skip(2).forEach(arc -> content.writeBytes(base128(arc)));
    return tagged(0x06, content.toByteArray());
  }

  private static byte[] base128(int arc) {
    var length = Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(arc) + 6) / 7);
    var digits = new byte[length];
    for (var i = 0; i < length; i++) {
      var more = i < length - 1 ? 0x80 : 0;
      var digit = (arc >> (7 * (length - 1 - i))) & 0x7F;
      digits[i] = (byte) (digit | more);
    }
    return digits;
  }

  private static byte[] tagged(int tag, byte[]... parts) {
    var content = new ByteArrayOutputStream();
    Arrays.stream(parts).forEach(content::writeBytes);
    var whole = new ByteArrayOutputStream();
    whole.write(tag);
    whole.writeBytes(length(content.size()));
    whole.writeBytes(content.toByteArray());
    return whole.toByteArray();
  }

  private static byte[] length(int size) {
    if (size < 0x80) {
      return new byte[] {(byte) size};
    }
    var digits = BigInteger.valueOf(size).toByteArray();
    var start = digits[0] == 0 ? 1 : 0;
    var count = digits.length - start;
    var encoded = new byte[count + 1];
    encoded[0] = (byte) (0x80 | count);
    System.arraycopy(digits, start, encoded, 1, count);
    return encoded;
  }
}
