package dev.pitcrew.agent.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pitcrew.testbed.controlplane.CertificateAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/// A server that answers in the place of an API server, at an address of IPv6.
public final class FakeApiServer implements AutoCloseable {
  private static final String TOKEN = "a-secret";

  /// What it answers to every request.
  public interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  private final HttpServer server;
  private final Path folder;
  private final List<String> asked = new CopyOnWriteArrayList<>();

  private FakeApiServer(HttpServer server, Path folder) {
    this.server = server;
    this.folder = folder;
  }

  public static FakeApiServer saying(Path folder, Answer answer) {
    try {
      Files.writeString(
          folder.resolve("ca.crt"), CertificateAuthority.create("fake").certificatePem());
      Files.writeString(folder.resolve("token"), TOKEN);
      var address = new InetSocketAddress(InetAddress.ofLiteral("::1"), 0);
      var fake = new FakeApiServer(HttpServer.create(address, 0), folder);
      fake.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
      fake.server.createContext("/", exchange -> fake.serve(exchange, answer));
      fake.server.start();
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void text(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  public ApiServer server() {
    return ApiServer.of(
        Credentials.of(URI.create("http://[::1]:" + server.getAddress().getPort()), folder));
  }

  /// The requests so far: path, query and token.
  public List<String> asked() {
    return asked;
  }

  private void serve(HttpExchange exchange, Answer answer) throws IOException {
    asked.add(
        exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Authorization"));
    try (exchange) {
      answer.to(exchange);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
