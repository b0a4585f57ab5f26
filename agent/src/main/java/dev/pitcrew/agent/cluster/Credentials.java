package dev.pitcrew.agent.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Where the API server is, how it is known and who we are. The files are read when they are
/// needed, since a kubelet replaces them while we run: tokens live for about an hour.
///
/// See [Accessing the API from within a
/// Pod](https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/).
///
/// @param authorityFile the certificates, in PEM, of which one has signed the server's
/// @param tokenFile the token of a service account
public record Credentials(URI server, Path authorityFile, Path tokenFile) {
  private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
  private static final int LONGEST_TOKEN = 64 * 1024;

  /// RFC 6750 §2.1. The JDK shows a header that it refuses, and this one must never be seen.
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

  /// Those of the pod in which we run; empty outside of one.
  public static Optional<Credentials> ofPod(Map<String, String> environment) {
    String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
    String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "");
    if (host.isEmpty() || !port.matches("[0-9]{1,5}")) {
      return Optional.empty();
    }
    String bracketed = host.contains(":") ? "[" + host + "]" : host;
    return Optional.of(of(URI.create("https://" + bracketed + ":" + port), ACCOUNT));
  }

  /// @param folder holds `ca.crt` and `token`, as in a pod
  public static Credentials of(URI server, Path folder) {
    return new Credentials(server, folder.resolve("ca.crt"), folder.resolve("token"));
  }

  /// The token as it is now.
  String token() throws IOException {
    if (Files.size(tokenFile) > LONGEST_TOKEN) {
      throw new IOException("%s is too large for a token".formatted(tokenFile));
    }
    String token = Files.readString(tokenFile).strip();
    if (!TOKEN.matcher(token).matches()) {
      throw new IOException("%s does not hold a token".formatted(tokenFile));
    }
    return token;
  }

  /// Trusts only the current authority.
  SSLContext trust() throws IOException {
    try (InputStream pem = Files.newInputStream(authorityFile)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      int count = 0;
      for (Certificate authority :
          CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        trusted.setCertificateEntry("authority-" + count++, authority);
      }
      var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "%s does not hold certificates: %s".formatted(authorityFile, e.getMessage()), e);
    }
  }
}
