package dev.pitcrew.testbed.trouble;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.CertificateAuthority;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/// An HTTPS server on loopback that answers reviews of admission.k8s.io/v1, each on a thread of its
/// own.
///
/// @param decision whether a write is allowed; it may block
record AdmissionServer(HttpsServer server, ExecutorService threads, Predicate<Write> decision)
    implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String ADDRESS = "127.0.0.1";
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;

  /// A write that the API server asks about.
  ///
  /// @param sort such as `create DaemonSet` or `update ClusterPolicy/status`
  record Write(String sort, String name, boolean isDryRun) {
    private static Write of(JsonNode request) {
      var kind = request.at("/kind/kind").asText();
      var subresource = request.path("subResource").asText();
      // An eviction is of the kind Eviction already.
      var suffix =
          subresource.isEmpty() || subresource.equalsIgnoreCase(kind) ? "" : "/" + subresource;
      return new Write(
          request.path("operation").asText().toLowerCase(Locale.ROOT) + " " + kind + suffix,
          request.path("name").asText(),
          request.path("dryRun").asBoolean());
    }
  }

  static AdmissionServer start(CertificateAuthority authority, Predicate<Write> decision) {
    try {
      var loopback = InetAddress.getLoopbackAddress();
      var server = HttpsServer.create(new InetSocketAddress(loopback, 0), 0);
      server.setHttpsConfigurator(new HttpsConfigurator(SSLUtils.sslContext(identity(authority))));
      var started =
          new AdmissionServer(server, Executors.newVirtualThreadPerTaskExecutor(), decision);
      server.setExecutor(started.threads);
      server.createContext("/", started::answer);
      server.start();
      return started;
    } catch (IOException | GeneralSecurityException e) {
      throw new TestbedException("serve an admission webhook on " + ADDRESS, e);
    }
  }

  private static Config identity(CertificateAuthority authority) {
    var identity = authority.issueServer("admission-webhook", List.of(ADDRESS));
    return new ConfigBuilder(Config.empty())
        .withClientCertData(base64(identity.certificatePem()))
        .withClientKeyData(base64(identity.privateKeyPem()))
        .withClientKeyAlgo("EC")
        .build();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  URI address() {
    return URI.create("https://%s:%d/".formatted(ADDRESS, server.getAddress().getPort()));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      var review = JSON.readTree(exchange.getRequestBody());
      var request = review.path("request");
      var isAllowed = decision.test(Write.of(request));
      var answer = JSON.createObjectNode();
      answer.set("apiVersion", review.path("apiVersion"));
      answer.set("kind", review.path("kind"));
      var response = answer.putObject("response");
      response.set("uid", request.path("uid"));
      response.put("allowed", isAllowed);
      response.putObject("status").put("code", isAllowed ? OK : FORBIDDEN);
      var body = JSON.writeValueAsBytes(answer);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(OK, body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
