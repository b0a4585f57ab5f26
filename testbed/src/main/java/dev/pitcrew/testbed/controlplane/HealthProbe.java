package dev.pitcrew.testbed.controlplane;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Asks a process over HTTP whether it is ready.
record HealthProbe(HttpClient client) implements AutoCloseable {
  /// Trusts the given authority and no other.
  static HealthProbe trusting(String authorityPem) {
    try {
      var context = SSLContext.getInstance("TLS");
      context.init(null, trust(authorityPem).getTrustManagers(), null);
      var client = HttpClient.newBuilder().sslContext(context);
      return new HealthProbe(client.connectTimeout(Duration.ofSeconds(2)).build());
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("trust our own certificate authority", e);
    }
  }

  private static TrustManagerFactory trust(String authorityPem)
      throws GeneralSecurityException, IOException {
    var certificate =
        CertificateFactory.getInstance("X.509")
            .generateCertificate(
                new ByteArrayInputStream(authorityPem.getBytes(StandardCharsets.US_ASCII)));
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry("authority", certificate);
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }

  /// True when the address answers 200.
  boolean isOk(String address) {
    var request =
        HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(5)).build();
    try {
      return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException _) {
      return false;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
    client.close();
  }
}
