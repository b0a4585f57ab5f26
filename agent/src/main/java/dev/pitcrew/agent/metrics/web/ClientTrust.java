package dev.pitcrew.agent.metrics.web;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/// Which certificates of clients are taken. By which rules is asked at each handshake.
final class ClientTrust extends X509ExtendedTrustManager {
  private final Supplier<Rules> now;

  /// @param authorities empty where any certificate is taken
  /// @param names one of which a certificate must have; empty where any will do
  record Rules(Optional<X509TrustManager> authorities, List<String> names) {
    Rules {
      names = List.copyOf(names);
    }
  }

  ClientTrust(Supplier<Rules> now) {
    this.now = now;
  }

  /// @param authorities empty where any certificate is taken
  static Rules rules(List<X509Certificate> authorities, List<String> names)
      throws GeneralSecurityException {
    if (authorities.isEmpty()) {
      return new Rules(Optional.empty(), names);
    }
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new GeneralSecurityException("an empty key store cannot be made", e);
    }
    for (int i = 0; i < authorities.size(); i++) {
      store.setCertificateEntry("authority-" + i, authorities.get(i));
    }
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return new Rules(
        Arrays.stream(factory.getTrustManagers())
            .filter(X509TrustManager.class::isInstance)
            .map(X509TrustManager.class::cast)
            .findFirst(),
        names);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    Rules rules = now.get();
    if (rules.authorities().isPresent()) {
      rules.authorities().get().checkClientTrusted(chain, type);
    }
    if (!rules.names().isEmpty() && names(chain[0]).noneMatch(rules.names()::contains)) {
      throw new CertificateException("the certificate has none of the names that are allowed");
    }
  }

  private static Stream<String> names(X509Certificate certificate) throws CertificateException {
    var names = certificate.getSubjectAlternativeNames();
    return names == null ? Stream.empty() : names.stream().map(name -> String.valueOf(name.get(1)));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return now.get()
        .authorities()
        .map(X509TrustManager::getAcceptedIssuers)
        .orElseGet(() -> new X509Certificate[0]);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    throw new CertificateException("no server is contacted with this trust manager");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }
}
