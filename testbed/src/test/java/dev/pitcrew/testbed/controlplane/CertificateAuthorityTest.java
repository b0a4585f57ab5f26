package dev.pitcrew.testbed.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateAuthorityTest {
  private final CertificateAuthority authority = CertificateAuthority.create("test");

  @Test
  void theAuthorityIsOneThatSignedItself() throws GeneralSecurityException {
    var certificate = parse(authority.certificatePem());

    certificate.verify(certificate.getPublicKey());
    assertThat(certificate.getBasicConstraints()).isNotNegative();
    assertThat(certificate.getKeyUsage()[5]).as("keyCertSign").isTrue();
  }

  @Test
  void aClientIsAUserInItsGroups() throws GeneralSecurityException {
    var identity = authority.issueClient("system:node:n1", List.of("system:nodes", "other"));
    var certificate = parse(identity.certificatePem());

    certificate.verify(parse(authority.certificatePem()).getPublicKey());
    certificate.checkValidity();
    assertThat(certificate.getBasicConstraints()).as("no authority").isEqualTo(-1);
    assertThat(certificate.getSubjectX500Principal().getName())
        .isEqualTo("CN=system:node:n1,O=other,O=system:nodes");
  }

  @Test
  void aServerAnswersUnderNamesAndAddresses() throws GeneralSecurityException {
    var hosts = List.of("kubernetes.default.svc", "10.96.0.1", "::1");
    var certificate = parse(authority.issueServer("s", hosts).certificatePem());

    assertThat(certificate.getSubjectAlternativeNames())
        .extracting(name -> String.valueOf(name.get(1)))
        .containsExactly("kubernetes.default.svc", "10.96.0.1", "0:0:0:0:0:0:0:1");
    assertThat(certificate.getExtendedKeyUsage()).contains("1.3.6.1.5.5.7.3.1");
  }

  @Test
  void certificatesOfManySizesStayReadable() throws GeneralSecurityException {
    for (var length : List.of(1, 120, 127, 128, 129, 250, 256, 70_000)) {
      var user = "u".repeat(length);
      var certificate = parse(authority.issueClient(user, List.of()).certificatePem());
      assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=" + user);
    }
  }

  private static X509Certificate parse(String pem) throws GeneralSecurityException {
    var bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
    return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(bytes);
  }
}
