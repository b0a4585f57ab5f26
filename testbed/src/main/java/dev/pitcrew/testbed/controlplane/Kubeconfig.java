package dev.pitcrew.testbed.controlplane;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/// Text of a kubeconfig for one cluster and one user, with everything inlined.
record Kubeconfig(String server, String authorityPem) {
  String forIdentity(Identity identity) {
    return text(
        """
            client-certificate-data: %s
            client-key-data: %s\
        """
            .formatted(base64(identity.certificatePem()), base64(identity.privateKeyPem())));
  }

  String forToken(String token) {
    return text("    token: " + token);
  }

  private String text(String credentials) {
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: testbed
      cluster:
        server: %s
        certificate-authority-data: %s
    users:
    - name: testbed
      user:
    %s
    contexts:
    - name: testbed
      context:
        cluster: testbed
        user: testbed
    current-context: testbed
    """
        .formatted(server, base64(authorityPem), credentials);
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }
}
