package dev.pitcrew.agent.metrics.web;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Certificates and private keys as text (RFC 7468). Of keys Java reads PKCS #8 alone; those of RFC
/// 8017 and RFC 5915, which certificate authorities hand out as well, are wrapped in it.
final class PemText {
  private static final Pattern KEY =
      Pattern.compile(
          "-----BEGIN (?<kind>(?:RSA |EC )?PRIVATE KEY)-----(?<body>[^-]*)-----END \\k<kind>-----");
  private static final int SEQUENCE = 0x30;
  private static final int OCTETS = 0x04;
  private static final int CURVE = 0xa0;
  private static final byte[] VERSION = HexFormat.of().parseHex("020100");

  /// rsaEncryption without parameters
  private static final byte[] RSA = HexFormat.of().parseHex("300d06092a864886f70d0101010500");

  /// ecPublicKey, whose parameter is the curve
  private static final byte[] ELLIPTIC = HexFormat.of().parseHex("06072a8648ce3d0201");

  private PemText() {}

  /// @throws CertificateException if there are none
  static List<X509Certificate> certificates(String text) throws CertificateException {
    var bytes = new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    var found =
        CertificateFactory.getInstance("X.509").generateCertificates(bytes).stream()
            .map(X509Certificate.class::cast)
            .toList();
    if (found.isEmpty()) {
      throw new CertificateException("there is no certificate in it");
    }
    return found;
  }

  /// @throws GeneralSecurityException if there is none that can be read
  static PrivateKey key(String text) throws GeneralSecurityException {
    Matcher found = KEY.matcher(text);
    if (!found.find()) {
      throw new InvalidKeyException("there is no private key in it that can be read");
    }
    try {
      byte[] body = Base64.getMimeDecoder().decode(found.group("body"));
      return switch (found.group("kind")) {
        case "RSA PRIVATE KEY" -> read("RSA", wrapped(RSA, body));
        case "EC PRIVATE KEY" ->
            read("EC", wrapped(element(SEQUENCE, ELLIPTIC, curve(body)), body));
        default -> any(body);
      };
    } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
      throw new InvalidKeyException("the private key in it is damaged", e);
    }
  }

  private static PrivateKey any(byte[] body) throws GeneralSecurityException {
    for (String algorithm : List.of("RSA", "EC")) {
      try {
        return read(algorithm, body);
      } catch (GeneralSecurityException _) {
        // The next one may fit.
      }
    }
    return read("EdDSA", body);
  }

  private static PrivateKey read(String algorithm, byte[] encoded) throws GeneralSecurityException {
    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
  }

  private static byte[] wrapped(byte[] algorithm, byte[] key) {
    return element(SEQUENCE, VERSION, algorithm, element(OCTETS, key));
  }

  /// The identifier of the curve, with its tag and length.
  private static byte[] curve(byte[] key) throws InvalidKeyException {
    var rest = ByteBuffer.wrap(key);
    rest.get();
    length(rest);
    while (rest.hasRemaining()) {
      int tag = Byte.toUnsignedInt(rest.get());
      var value = new byte[length(rest)];
      rest.get(value);
      if (tag == CURVE) {
        return value;
      }
    }
    throw new InvalidKeyException("the private key in it does not name its curve");
  }

  private static int length(ByteBuffer at) {
    int first = Byte.toUnsignedInt(at.get());
    int length = first;
    if (first > 0x80) {
      length = 0;
      for (int i = 0; i < (first & 0x7f); i++) {
        length = length << 8 | Byte.toUnsignedInt(at.get());
      }
    }
    if (length < 0 || length > at.remaining()) {
      throw new java.nio.BufferUnderflowException();
    }
    return length;
  }

  private static byte[] element(int tag, byte[]... parts) {
    var content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    var element = new ByteArrayOutputStream();
    element.write(tag);
    if (content.size() < 0x80) {
      element.write(content.size());
    } else {
      element.write(0x82);
      element.write(content.size() >> 8);
      element.write(content.size());
    }
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }
}
