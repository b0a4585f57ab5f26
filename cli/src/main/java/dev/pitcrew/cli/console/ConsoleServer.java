package dev.pitcrew.cli.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pitcrew.cli.print.Documents;
import dev.pitcrew.cli.transport.RefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Serves the page and what it shows on loopback. Everything can only be read.
public final class ConsoleServer implements AutoCloseable {
  static final String API = "/api/v1/";

  private static final int BACKLOG = 64;
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int DEFECT = 500;
  private static final int BAD_GATEWAY = 502;

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String JSON = "application/json";

  /// Files of this package, and as what they are served.
  private static final Map<String, String> FILES =
      Map.of(
          "/", "text/html; charset=utf-8",
          "/console.css", "text/css; charset=utf-8",
          "/console.js", SCRIPT,
          "/screens.js", SCRIPT,
          "/tiles.js", SCRIPT,
          "/preact.module.js", SCRIPT,
          "/icon.svg", "image/svg+xml");

  static {
    // The server reads these once; its own defaults let a client hold a connection for ever.
    System.setProperty("sun.net.httpserver.maxReqTime", "5");
    System.setProperty("jdk.httpserver.maxConnections", "64");
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Guard guard;
  private final Views views;
  private final EventStream events;

  private ConsoleServer(HttpServer server, ConsoleModel model) {
    this.server = server;
    guard = new Guard(server.getAddress().getPort());
    views = new Views(model);
    events = new EventStream(model, views);
  }

  /// @param port 0 for any that is free
  /// @throws IOException where the port is in use, or the user may not listen on it
  public static ConsoleServer start(int port, ConsoleModel model) throws IOException {
    var address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    var console = new ConsoleServer(HttpServer.create(address, BACKLOG), model);
    console.server.setExecutor(console.threads);
    console.server.createContext("/", console::serve);
    console.server.start();
    return console;
  }

  /// Where a browser finds it.
  public String address() {
    return "http://localhost:" + server.getAddress().getPort() + "/";
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      Headers headers = exchange.getResponseHeaders();
      headers.set(
          "Content-Security-Policy",
          "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
      headers.set("X-Content-Type-Options", "nosniff");
      headers.set("Referrer-Policy", "no-referrer");
      headers.set("Cross-Origin-Resource-Policy", "same-origin");
      headers.set("Cross-Origin-Opener-Policy", "same-origin");
      headers.set("Cache-Control", "no-store");
      Optional<String> refusal = guard.refusal(exchange.getRequestHeaders()::getFirst);
      if (refusal.isPresent()) {
        answer(exchange, FORBIDDEN, TEXT, refusal.get() + "\n");
      } else if (!exchange.getRequestMethod().equals("GET")) {
        headers.set("Allow", "GET");
        answer(exchange, NOT_ALLOWED, TEXT, "the console can only be read\n");
      } else {
        get(exchange, exchange.getRequestURI().getPath());
      }
    }
  }

  private void get(HttpExchange exchange, String path) throws IOException {
    if (path.equals(API + "events")) {
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(OK, 0);
      events.write(exchange.getResponseBody());
    } else if (path.startsWith(API)) {
      json(exchange, path.substring(API.length()));
    } else if (FILES.containsKey(path)) {
      answer(exchange, OK, FILES.get(path), file(path.equals("/") ? "/index.html" : path));
    } else {
      answer(exchange, NOT_FOUND, TEXT, "there is no such page: begin at /\n");
    }
  }

  private void json(HttpExchange exchange, String view) throws IOException {
    try {
      Optional<Object> found = views.of(view);
      if (found.isPresent()) {
        answer(exchange, OK, JSON, Documents.json(found.get()));
      } else {
        problem(exchange, NOT_FOUND, "there is none of that name");
      }
    } catch (RefusedException refused) {
      problem(exchange, BAD_GATEWAY, refused.text());
    } catch (RuntimeException defect) {
      problem(
          exchange,
          DEFECT,
          "a defect of this plugin: %s; please report it, with the output of kubectl gpu version"
              .formatted(defect));
    }
  }

  private static void problem(HttpExchange exchange, int status, String message)
      throws IOException {
    answer(exchange, status, JSON, Documents.json(Map.of("message", message)));
  }

  private static void answer(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    answer(exchange, status, type, text.getBytes(UTF_8));
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private static byte[] file(String path) {
    try (InputStream file = ConsoleServer.class.getResourceAsStream(path.substring(1))) {
      if (file == null) {
        throw new IllegalStateException("the build has left out " + path);
      }
      return file.readAllBytes();
    } catch (IOException broken) {
      throw new UncheckedIOException("read " + path, broken);
    }
  }
}
