package dev.pitcrew.agent.metrics.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.CertificateAuthority;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebConfigParserTest {
  private static final CertificateAuthority AUTHORITY = CertificateAuthority.create("test");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          basic_auth_user: {}                                     | web.yml:1: basic_auth_user: no such key; write one of tls_server_config, http_server_config, basic_auth_users
          basic_auth_users: [alice]                               | web.yml:1: basic_auth_users: write a mapping of keys to values
          basic_auth_users: {alice: secret}                       | web.yml:1: basic_auth_users.alice: no bcrypt hash; make one with 'htpasswd -nBC 10 USER'
          tls_server_config: {CERT}                               | web.yml: tls_server_config.key_file: missing; name a PEM file
          tls_server_config: {KEY}                                | web.yml: tls_server_config.cert_file: missing; name a PEM file
          tls_server_config: {CERT, key_file: none}               | web.yml:1: tls_server_config.key_file is 'none': it cannot be read
          tls_server_config: {CERT, key_file: tls.crt}            | web.yml: tls_server_config: the certificates or the key cannot be used (there is no private key in it that can be read); give PEM
          tls_server_config: {CERT, KEY, key: x}                  | web.yml:1: tls_server_config.key: also given by key_file; give one of them
          tls_server_config: {CERT, KEY, min_version: TLS10}      | web.yml:1: tls_server_config.min_version is 'TLS10': write one of TLS12, TLS13
          tls_server_config: {CERT, KEY, min_version: TLS13, max_version: TLS12} | web.yml:1: tls_server_config.min_version: above max_version; give a lower one
          tls_server_config: {CERT, KEY, cipher_suites: [NONE]}   | web.yml:1: tls_server_config.cipher_suites is 'NONE': no suite that this JDK has
          tls_server_config: {CERT, KEY, curve_preferences: [P1]} | web.yml:1: tls_server_config.curve_preferences is 'P1': write one of [CurveP256, CurveP384, CurveP521, X25519]
          tls_server_config: {CERT, KEY, client_auth_type: Yes}   | web.yml:1: tls_server_config.client_auth_type is 'Yes': write one of NoClientCert, RequestClientCert, RequireAnyClientCert, VerifyClientCertIfGiven, RequireAndVerifyClientCert
          tls_server_config: {CERT, KEY, client_auth_type: RequireAndVerifyClientCert} | web.yml: tls_server_config.client_ca_file: missing; name the certificates of who signs for clients
          tls_server_config: {CERT, KEY, client_ca_file: tls.crt} | web.yml:1: tls_server_config.client_ca_file: no effect without client_auth_type; give it
          tls_server_config: {CERT, KEY, prefer_server_cipher_suites: 2} | web.yml:1: tls_server_config.prefer_server_cipher_suites is '2': write true or false
          http_server_config: {headers: {Server: x}}              | web.yml:1: http_server_config.headers.Server: no such key; write one of Content-Security-Policy, X-Frame-Options, X-Content-Type-Options, X-XSS-Protection, Strict-Transport-Security
          http_server_config: {http2: {}}                         | web.yml:1: http_server_config.http2: write a text
          """)
  void aMistakeIsNamedWithItsPlaceAndWhatToDo(String config, String problem) {
    var parsed =
        parse(config.replace("CERT", "cert_file: tls.crt").replace("KEY", "key_file: tls.key"));

    assertThat(parsed.config()).isEmpty();
    assertThat(parsed.problems()).first().isEqualTo(problem);
  }

  @Test
  void invalidYaml_isReportedWithItsLine() {
    assertThat(parse("basic_auth_users:\n  a: {\n").problems())
        .singleElement()
        .asString()
        .startsWith("web.yml:")
        .endsWith("correct the YAML");
  }

  @Test
  void everyKeyOfTheReferenceIsTaken() {
    var parsed =
        parse(
            """
            tls_server_config:
              cert_file: tls.crt
              key_file: tls.key
              client_ca_file: tls.crt
              client_auth_type: VerifyClientCertIfGiven
              client_allowed_sans: [prometheus]
              min_version: TLS12
              max_version: TLS13
              cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]
              prefer_server_cipher_suites: true
              curve_preferences: [CurveP256, X25519]
            http_server_config:
              http2: true
              headers: {Strict-Transport-Security: max-age=1}
            """);

    assertThat(parsed.problems()).isEmpty();
    var encryption = parsed.config().orElseThrow().encryption().orElseThrow();
    assertThat(encryption.protocols()).containsExactly("TLSv1.2", "TLSv1.3");
    assertThat(encryption.suites())
        .contains("TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        .doesNotContain("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384");
    assertThat(encryption.curves()).containsExactly("secp256r1", "x25519");
  }

  @Test
  void emptyFile_authenticatesNoClient() {
    assertThat(parse("").config())
        .hasValueSatisfying(it -> {
          assertThat(it.encryption()).isEmpty();
          assertThat(it.users()).isEmpty();
        });
  }

  /// The second half of PKCS #8 is what RFC 8017 and RFC 5915 define.
  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC", "Ed25519"})
  void keysOfEachKindAreRead(String kind) throws GeneralSecurityException {
    var key = KeyPairGenerator.getInstance(kind).generateKeyPair().getPrivate();
    byte[] encoded = key.getEncoded();

    assertThat(PemText.key(pem("PRIVATE KEY", encoded)).getEncoded()).isEqualTo(encoded);
    if (kind.equals("RSA")) {
      byte[] inner = Arrays.copyOfRange(encoded, 26, encoded.length);
      assertThat(PemText.key(pem("RSA PRIVATE KEY", inner)).getEncoded()).isEqualTo(encoded);
    }
  }

  private static String pem(String kind, byte[] encoded) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(encoded), kind);
  }

  private static WebConfigParser.Parsed parse(String text) {
    var server = AUTHORITY.issueServer("server", List.of("127.0.0.1"));
    var files = Map.of("tls.crt", server.certificatePem(), "tls.key", server.privateKeyPem());
    return WebConfigParser.parse("web.yml", text, name -> Optional.ofNullable(files.get(name)));
  }
}
