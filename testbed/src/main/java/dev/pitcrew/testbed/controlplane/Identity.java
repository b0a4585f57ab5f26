package dev.pitcrew.testbed.controlplane;

import java.security.interfaces.ECPrivateKey;

/// A certificate and its private key, both as PEM.
public record Identity(String certificatePem, String privateKeyPem) {
  static Identity of(byte[] certificate, ECPrivateKey key) {
    return new Identity(Pem.certificate(certificate), Pem.privateKey(key));
  }
}
