package dev.pitcrew.testbed.operator;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;

/// What a process gets of an API server when it runs in a pod: the address in its environment, the
/// authority and the token of its account in files.
final class PodCredentials {
  private PodCredentials() {}

  /// The variables that stand for the fixed places of a pod, with which the operator goes the way
  /// that it goes in production.
  ///
  /// @param kubeconfig of an account with a token; the files are written beside it
  /// @return empty for an account with a certificate, which no pod has
  static Map<String, String> of(Path kubeconfig) {
    Config config = Config.fromKubeconfig(kubeconfig.toFile());
    if (config.getAutoOAuthToken() == null) {
      return Map.of();
    }
    var authority = Base64.getMimeDecoder().decode(config.getCaCertData());
    return Map.of(
        "KUBERNETES_MASTER", config.getMasterUrl(),
        "KUBERNETES_AUTH_TRYKUBECONFIG", "false",
        "KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN",
            beside(
                kubeconfig, ".token", config.getAutoOAuthToken().getBytes(StandardCharsets.UTF_8)),
        "KUBERNETES_CERTS_CA_FILE", beside(kubeconfig, ".ca.crt", authority));
  }

  private static String beside(Path kubeconfig, String suffix, byte[] content) {
    Path file = kubeconfig.toAbsolutePath().resolveSibling(kubeconfig.getFileName() + suffix);
    try {
      return Files.write(file, content).toString();
    } catch (IOException e) {
      throw new UncheckedIOException("write " + file, e);
    }
  }
}
