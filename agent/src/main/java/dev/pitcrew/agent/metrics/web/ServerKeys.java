package dev.pitcrew.agent.metrics.web;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// A certificate, with those that lead to its authority, and its key. Which one is asked at each
/// handshake.
final class ServerKeys extends X509ExtendedKeyManager {
  private static final String ONLY = "server";

  private final Supplier<Pair> now;

  /// @param chain the server's own certificate first
  record Pair(List<X509Certificate> chain, PrivateKey key) {
    Pair {
      chain = List.copyOf(chain);
    }

    private PublicKey publicKey() {
      return chain.getFirst().getPublicKey();
    }
  }

  ServerKeys(Supplier<Pair> now) {
    this.now = now;
  }

  /// @throws GeneralSecurityException if the key is not that of the first certificate
  static Pair pair(List<X509Certificate> chain, PrivateKey key) throws GeneralSecurityException {
    var pair = new Pair(chain, key);
    String kind = pair.publicKey().getAlgorithm();
    var signature =
        Signature.getInstance(
            switch (kind) {
              case "RSA" -> "SHA256withRSA";
              case "EC" -> "SHA256withECDSA";
              default -> kind;
            });
    byte[] probe = {1, 2, 3, 4};
    signature.initSign(key);
    signature.update(probe);
    byte[] signed = signature.sign();
    signature.initVerify(pair.publicKey());
    signature.update(probe);
    if (!signature.verify(signed)) {
      throw new InvalidKeyException("the key is not that of the certificate");
    }
    return pair;
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return keyType.startsWith(now.get().publicKey().getAlgorithm()) ? ONLY : null;
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return chooseEngineServerAlias(keyType, issuers, null);
  }

  @Override
  public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return new String[] {ONLY};
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    return now.get().chain().toArray(X509Certificate[]::new);
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    return now.get().key();
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }
}
