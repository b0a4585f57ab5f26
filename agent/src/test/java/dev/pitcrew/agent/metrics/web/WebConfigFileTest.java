package dev.pitcrew.agent.metrics.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.metrics.web.WebConfigFile.Opened;
import dev.pitcrew.core.web.Answer;
import dev.pitcrew.core.web.BindAddress;
import dev.pitcrew.core.web.HttpEndpoint;
import dev.pitcrew.testbed.controlplane.CertificateAuthority;
import dev.pitcrew.testbed.controlplane.Identity;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Scrapes of an endpoint that a web configuration file protects.
class WebConfigFileTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final char[] NO_PASSWORD = {};

  /// Of `secret`, made by the C library.
  private static final String HASH = "$2b$04$Rcf1kH15Jk8lKVVl4NYdsuxA3Djtr4Q4s0KkUf7LkEIuNZhg.hYH2";

  private static final String ENCRYPTED =
      "tls_server_config: {cert_file: tls.crt, key_file: tls.key%s}\n";
  private static final String USERS = "basic_auth_users: {alice: '%s'}\n".formatted(HASH);

  private final CertificateAuthority authority = CertificateAuthority.create("metrics");
  private final ConcurrentLinkedQueue<String> problems = new ConcurrentLinkedQueue<>();

  @TempDir Path folder;
  private Optional<HttpEndpoint> endpoint = Optional.empty();

  @BeforeEach
  void certify() throws IOException {
    certify("first");
    write("ca.crt", authority.certificatePem());
  }

  @AfterEach
  void close() {
    endpoint.ifPresent(HttpEndpoint::close);
  }

  @Test
  void clientWithThePassword_getsThePage() throws Exception {
    serve(USERS.replace("$2b$", "$2y$"));
    try (var http = HttpClient.newHttpClient()) {
      var refused = get(http, "http", "");
      assertThat(refused.statusCode()).isEqualTo(401);
      assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Basic");
      assertThat(refused.body()).doesNotContain("page");
      for (String wrong : List.of("alice:wrong", "bob:secret", "alice", "alice:")) {
        assertThat(get(http, "http", wrong).statusCode()).as(wrong).isEqualTo(401);
      }
      for (int i = 0; i < 2; i++) {
        assertThat(get(http, "http", "alice:secret").body()).isEqualTo("page\n");
      }
    }
  }

  @Test
  void connectionsAreEncryptedAndHeadersSent() throws Exception {
    serve(
        ENCRYPTED.formatted(", min_version: TLS13")
            + USERS
            + "http_server_config: {headers: {X-Frame-Options: deny}}\n");
    try (var http = client(Optional.empty())) {
      assertThat(get(http, "https", "").statusCode()).isEqualTo(401);
      var page = get(http, "https", "alice:secret");
      assertThat(page.body()).isEqualTo("page\n");
      assertThat(page.headers().firstValue("X-Frame-Options")).contains("deny");
      assertThat(page.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> get(http, "http", ""));
    }
  }

  @Test
  void aRenewedCertificateIsUsedWithoutARestart() throws Exception {
    serve(ENCRYPTED.formatted(""));
    assertThat(subject()).isEqualTo("CN=first");
    certify("second");
    await().atMost(LIMIT).untilAsserted(() -> assertThat(subject()).isEqualTo("CN=second"));

    // One half of a renewal: the pair before stays until the other is there.
    write("tls.key", authority.issueServer("third", List.of("127.0.0.1")).privateKeyPem());
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> {
          assertThat(subject()).isEqualTo("CN=second");
          assertThat(problems).singleElement().asString().contains("the key is not that");
        });
  }

  @Test
  void onlyClientsWithACertificateOfTheAuthorityGetThePage() throws Exception {
    serve(
        ENCRYPTED.formatted(
            ", client_ca_file: ca.crt, client_auth_type: RequireAndVerifyClientCert"));
    Identity prometheus = authority.issueClient("prometheus", List.of());
    Identity other = CertificateAuthority.create("other").issueClient("unknown", List.of());

    try (var known = client(Optional.of(prometheus));
        var unknown = client(Optional.of(other));
        var anonymous = client(Optional.empty())) {
      assertThat(get(known, "https", "").body()).isEqualTo("page\n");
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> get(unknown, "https", ""));
      assertThatExceptionOfType(IOException.class).isThrownBy(() -> get(anonymous, "https", ""));
    }
  }

  @Test
  void laterMistake_keepsTheLastUsersInForce_andIsReported() throws Exception {
    serve(USERS);
    try (var http = HttpClient.newHttpClient()) {
      write("web.yml", "basic_auth_users: {alice: secret}\n");
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> {
            assertThat(get(http, "http", "").statusCode()).isEqualTo(401);
            assertThat(problems).hasSize(1);
          });
      assertThat(problems.peek())
          .isEqualTo(
              folder.resolve("web.yml")
                  + ":1: basic_auth_users.alice: no bcrypt hash; make one with 'htpasswd -nBC 10 USER'; what was read before stays in force");
      assertThat(get(http, "http", "alice:secret").statusCode()).isEqualTo(200);

      write("web.yml", USERS.replace("alice", "bob"));
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> assertThat(get(http, "http", "bob:secret").statusCode()).isEqualTo(200));
      assertThat(get(http, "http", "alice:secret").statusCode()).isEqualTo(401);
    }
  }

  private void serve(String config) throws IOException {
    write("web.yml", config);
    var opened = WebConfigFile.open(folder.resolve("web.yml").toString(), Path::of, problems::add);
    assertThat(opened).isInstanceOf(Opened.Right.class);
    if (opened instanceof Opened.Right(var porter)
        && BindAddress.parse("127.0.0.1:0") instanceof BindAddress.Listen address) {
      endpoint =
          Optional.of(
              HttpEndpoint.start(
                  address, Map.of("/metrics", _ -> Answer.text(200, "page")), porter));
    }
  }

  private void certify(String name) throws IOException {
    Identity server = authority.issueServer(name, List.of("127.0.0.1"));
    write("tls.crt", server.certificatePem());
    write("tls.key", server.privateKeyPem());
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  /// Of the certificate that a new client sees.
  private String subject() throws Exception {
    try (var http = client(Optional.empty())) {
      Certificate[] chain = get(http, "https", "").sslSession().orElseThrow().getPeerCertificates();
      return chain[0] instanceof X509Certificate own ? own.getSubjectX500Principal().getName() : "";
    }
  }

  private HttpResponse<String> get(HttpClient http, String scheme, String user)
      throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(
            URI.create(
                "%s://127.0.0.1:%d/metrics"
                    .formatted(scheme, endpoint.orElseThrow().address().getPort())));
    if (!user.isEmpty()) {
      request.header(
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }

  /// Trusts the authority, and shows the certificate where there is one.
  private HttpClient client(Optional<Identity> identity)
      throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry(
        "authority", PemText.certificates(authority.certificatePem()).getFirst());
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var own = KeyStore.getInstance(KeyStore.getDefaultType());
    own.load(null, null);
    if (identity.isPresent()) {
      own.setKeyEntry(
          "own",
          PemText.key(identity.get().privateKeyPem()),
          NO_PASSWORD,
          PemText.certificates(identity.get().certificatePem()).toArray(Certificate[]::new));
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, NO_PASSWORD);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }
}
