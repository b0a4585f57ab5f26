package dev.pitcrew.agent.metrics.web;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import dev.pitcrew.agent.metrics.web.WebConfig.ClientCertificate;
import dev.pitcrew.agent.metrics.web.WebConfig.Encryption;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;

/// TLS by what is wanted at the moment of each handshake.
final class Tls {
  /// A client that is no longer admitted is out after that.
  private static final int RESUMABLE_SECONDS = 60;

  private Tls() {}

  /// The suites that the JDK has, of all versions.
  static List<String> suites() {
    try {
      return List.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  static HttpsConfigurator by(Supplier<Encryption> now) {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(
          new KeyManager[] {new ServerKeys(() -> now.get().keys())},
          new TrustManager[] {new ClientTrust(() -> now.get().trust())},
          null);
      context.getServerSessionContext().setSessionTimeout(RESUMABLE_SECONDS);
      return new HttpsConfigurator(context) {
        @Override
        public void configure(HttpsParameters connection) {
          connection.setSSLParameters(parameters(context.getDefaultSSLParameters(), now.get()));
        }
      };
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  private static SSLParameters parameters(SSLParameters all, Encryption wanted) {
    all.setProtocols(wanted.protocols().toArray(String[]::new));
    if (!wanted.suites().isEmpty()) {
      all.setCipherSuites(wanted.suites().toArray(String[]::new));
    }
    if (!wanted.curves().isEmpty()) {
      all.setNamedGroups(wanted.curves().toArray(String[]::new));
    }
    all.setUseCipherSuitesOrder(wanted.prefersOwnOrder());
    if (wanted.client().isRequired()) {
      all.setNeedClientAuth(true);
    } else if (wanted.client() != ClientCertificate.NO_CLIENT_CERT) {
      all.setWantClientAuth(true);
    }
    return all;
  }
}
