package dev.pitcrew.testbed.controlplane;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Issues the certificates of one control plane: ECDSA on P-256, valid for a year, from an hour ago
/// so that a clock that was just set back does not matter. X.509 v3, RFC 5280.
public final class CertificateAuthority {
  private static final byte[] ECDSA_WITH_SHA256 =
      Der.sequence(Der.identifier("1.2.840.10045.4.3.2"));
  private static final byte[] BOTH_AUTHENTICATIONS =
      Der.sequence(Der.identifier("1.3.6.1.5.5.7.3.1"), Der.identifier("1.3.6.1.5.5.7.3.2"));
  private static final byte[] MAY_SIGN_CERTIFICATES = Der.bits(1, new byte[] {(byte) 0x86});
  private static final byte[] MAY_SIGN_HANDSHAKES = Der.bits(7, new byte[] {(byte) 0x80});

  private final byte[] name;
  private final ECPrivateKey key;
  private final Identity identity;

  private CertificateAuthority(String commonName) {
    var pair = newKeyPair();
    this.name = distinguishedName(commonName, List.of());
    this.key = pair.privateKey();
    this.identity = Identity.of(certificate(name, pair.publicKey(), authorityExtensions()), key);
  }

  public static CertificateAuthority create(String commonName) {
    return new CertificateAuthority(commonName);
  }

  public String certificatePem() {
    return identity.certificatePem();
  }

  /// A client: Kubernetes takes the common name for the user and the organizations for groups.
  public Identity issueClient(String user, List<String> groups) {
    return issue(distinguishedName(user, groups), leafExtensions());
  }

  /// A server that answers under each of `hosts`: DNS names and numeric addresses.
  public Identity issueServer(String commonName, List<String> hosts) {
    var extensions = leafExtensions();
    var names = hosts.stream().map(SubjectName::encode).toArray(byte[][]::new);
    extensions.add(extension("2.5.29.17", Der.sequence(names)));
    return issue(distinguishedName(commonName, List.of()), extensions);
  }

  /// A key pair on the curve that all certificates here use.
  static KeyPair newKeyPair() {
    try {
      var generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      var pair = generator.generateKeyPair();
      return new KeyPair(pair.getPublic(), (ECPrivateKey) pair.getPrivate());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has P-256", e);
    }
  }

  /// The two halves of a key on P-256.
  record KeyPair(PublicKey publicKey, ECPrivateKey privateKey) {}

  private Identity issue(byte[] subject, List<byte[]> extensions) {
    var pair = newKeyPair();
    return Identity.of(certificate(subject, pair.publicKey(), extensions), pair.privateKey());
  }

  private byte[] certificate(byte[] subject, PublicKey subjectKey, List<byte[]> extensions) {
    var now = Instant.now();
    var toBeSigned =
        Der.sequence(
            Der.explicit(0, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(127, new SecureRandom())),
            ECDSA_WITH_SHA256,
            name,
            Der.sequence(
                Der.time(now.minus(Duration.ofHours(1))), Der.time(now.plus(Duration.ofDays(365)))),
            subject,
            subjectKey.getEncoded(),
            Der.explicit(3, Der.sequence(extensions.toArray(byte[][]::new))));
    return Der.sequence(toBeSigned, ECDSA_WITH_SHA256, Der.bits(0, signature(toBeSigned)));
  }

  private byte[] signature(byte[] content) {
    try {
      var signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(key);
      signature.update(content);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("sign a certificate", e);
    }
  }

  private static List<byte[]> authorityExtensions() {
    return List.of(
        criticalExtension("2.5.29.19", Der.sequence(Der.yes())),
        criticalExtension("2.5.29.15", MAY_SIGN_CERTIFICATES));
  }

  private static List<byte[]> leafExtensions() {
    return new ArrayList<>(
        List.of(
            criticalExtension("2.5.29.15", MAY_SIGN_HANDSHAKES),
            extension("2.5.29.37", BOTH_AUTHENTICATIONS)));
  }

  private static byte[] criticalExtension(String identifier, byte[] value) {
    return Der.sequence(Der.identifier(identifier), Der.yes(), Der.octets(value));
  }

  private static byte[] extension(String identifier, byte[] value) {
    return Der.sequence(Der.identifier(identifier), Der.octets(value));
  }

  private static byte[] distinguishedName(String commonName, List<String> organizations) {
    var parts = new ArrayList<byte[]>();
    organizations.forEach(organization -> parts.add(nameAttribute("2.5.4.10", organization)));
    parts.add(nameAttribute("2.5.4.3", commonName));
    return Der.sequence(parts.toArray(byte[][]::new));
  }

  private static byte[] nameAttribute(String identifier, String value) {
    return Der.set(Der.sequence(Der.identifier(identifier), Der.text(value)));
  }
}
