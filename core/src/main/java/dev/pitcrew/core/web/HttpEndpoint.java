package dev.pitcrew.core.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// One listening socket with a few pages that can only be read, each request on its own virtual
/// thread.
public final class HttpEndpoint implements AutoCloseable {
  private static final Logger LOG = System.getLogger(HttpEndpoint.class.getName());
  private static final int BACKLOG = 64;
  private static final int UNAUTHORIZED = 401;
  private static final int TOO_MANY_REQUESTS = 429;

  static {
    // The server reads these once, when its classes load; its own defaults let a client hold a
    // connection for ever.
    setUnlessGiven("sun.net.httpserver.maxReqTime", "5");
    setUnlessGiven("sun.net.httpserver.maxRspTime", "30");
    setUnlessGiven("sun.net.httpserver.maxReqHeaders", "100");
    setUnlessGiven("jdk.httpserver.maxConnections", "256");
  }

  private final HttpServer server;
  private final ExecutorService threads;
  private final Map<String, Function<String, Answer>> pages;
  private final AccessControl porter;

  private HttpEndpoint(
      HttpServer server, Map<String, Function<String, Answer>> pages, AccessControl porter) {
    this.server = server;
    this.pages = Map.copyOf(pages);
    this.porter = porter;
    this.threads = Executors.newVirtualThreadPerTaskExecutor();
  }

  /// Listens and serves; a page is a function of the request's `Accept` header.
  ///
  /// @throws UncheckedIOException when the address cannot be used
  public static HttpEndpoint start(
      BindAddress.Listen address, Map<String, Function<String, Answer>> pages) {
    return start(address, pages, AccessControl.OPEN);
  }

  /// As [#start(BindAddress.Listen, Map)], for clients that the access control admits.
  public static HttpEndpoint start(
      BindAddress.Listen address,
      Map<String, Function<String, Answer>> pages,
      AccessControl porter) {
    try {
      var endpoint = new HttpEndpoint(server(address, porter), pages, porter);
      var server = endpoint.server;
      server.setExecutor(endpoint.threads);
      server.createContext("/", endpoint::serve);
      server.start();
      return endpoint;
    } catch (IOException failure) {
      throw new UncheckedIOException(
          "listening on %s:%d".formatted(address.host(), address.port()), failure);
    }
  }

  private static HttpServer server(BindAddress.Listen address, AccessControl porter)
      throws IOException {
    Optional<HttpsConfigurator> encryption = porter.encryption();
    if (encryption.isEmpty()) {
      return HttpServer.create(address.socketAddress(), BACKLOG);
    }
    var server = HttpsServer.create(address.socketAddress(), BACKLOG);
    server.setHttpsConfigurator(encryption.get());
    return server;
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      porter.headers().forEach(exchange.getResponseHeaders()::set);
      send(
          exchange,
          porter.refuse(header(exchange, "Authorization")).orElseGet(() -> answer(exchange)));
    }
  }

  /// Empty where the request has none of this name.
  private static String header(HttpExchange exchange, String name) {
    return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name)).orElse("");
  }

  private Answer answer(HttpExchange exchange) {
    Function<String, Answer> page = pages.get(exchange.getRequestURI().getPath());
    if (page == null) {
      return Answer.text(
          404,
          "not found; here are " + String.join(", ", pages.keySet().stream().sorted().toList()));
    }
    return switch (exchange.getRequestMethod()) {
      case "GET", "HEAD" -> page(page, exchange);
      default -> Answer.text(405, "only GET and HEAD are served");
    };
  }

  private static Answer page(Function<String, Answer> page, HttpExchange exchange) {
    try {
      return page.apply(header(exchange, "Accept"));
    } catch (RuntimeException failure) {
      LOG.log(Level.ERROR, "request failed: " + exchange.getRequestURI().getPath(), failure);
      return Answer.text(500, "internal error; the log says more");
    }
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", answer.contentType());
    switch (answer.status()) {
      case UNAUTHORIZED -> exchange.getResponseHeaders().set("WWW-Authenticate", "Basic");
      case TOO_MANY_REQUESTS -> exchange.getResponseHeaders().set("Retry-After", "1");
      default -> {}
    }
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(answer.status(), -1);
      return;
    }
    // Zero stands for an unknown length: the content is sent in chunks.
    long length = answer.content() instanceof Answer.Whole(var bytes) ? bytes.length : 0;
    exchange.sendResponseHeaders(answer.status(), length);
    answer.content().writeTo(exchange.getResponseBody());
  }

  private static void setUnlessGiven(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
