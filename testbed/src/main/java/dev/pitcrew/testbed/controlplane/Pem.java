package dev.pitcrew.testbed.controlplane;

import java.math.BigInteger;
import java.security.PublicKey;
import java.security.interfaces.ECPrivateKey;
import java.util.Base64;

/// Textual encodings of certificates and keys (RFC 7468).
final class Pem {
  private static final Base64.Encoder LINES = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private static final int P256_BYTES = 32;

  private Pem() {}

  static String certificate(byte[] der) {
    return block("CERTIFICATE", der);
  }

  /// A key on P-256 in the form of RFC 5915: clients that go by the label, as fabric8 does, take a
  /// PKCS #8 key for RSA.
  static String privateKey(ECPrivateKey key) {
    var encoded =
        Der.sequence(
            Der.integer(BigInteger.ONE),
            Der.octets(fixedLength(key.getS())),
            Der.explicit(0, Der.identifier("1.2.840.10045.3.1.7")));
    return block("EC PRIVATE KEY", encoded);
  }

  private static byte[] fixedLength(BigInteger scalar) {
    var digits = scalar.toByteArray();
    var fixed = new byte[P256_BYTES];
    var count = Math.min(digits.length, P256_BYTES);
    System.arraycopy(digits, digits.length - count, fixed, P256_BYTES - count, count);
    return fixed;
  }

  static String publicKey(PublicKey key) {
    return block("PUBLIC KEY", key.getEncoded());
  }

  private static String block(String label, byte[] der) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(label, LINES.encodeToString(der), label);
  }
}
