package dev.pitcrew.testbed.scenario.play;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangeSignalTest {

  @Test
  void aChangeRestartsTheQuiet() throws InterruptedException {
    try (var signal = new ChangeSignal()) {
      assertThat(signal.awaitQuiet(Duration.ofMillis(20), in(10_000))).isTrue();
      signal.mark();
      assertThat(signal.awaitQuiet(Duration.ofSeconds(60), in(20))).isFalse();
    }
  }

  @Test
  void aWaitForAChangeEndsWithIt() throws InterruptedException {
    try (var signal = new ChangeSignal()) {
      var begin = System.nanoTime();
      var marker = Thread.ofVirtual().start(signal::mark);
      signal.awaitChange(Duration.ofMillis(100));
      marker.join();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    }
  }

  /// The API server answers for a kind a moment longer than its definition exists.
  @Test
  void aKindThatGoesWhileItIsAskedForIsNotWatched(@TempDir Path directory) throws IOException {
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    var listed = new AtomicInteger();
    server.createContext(
        "/",
        exchange -> {
          var uri = exchange.getRequestURI();
          var isServed = uri.getPath().endsWith("/prometheusrules");
          if (isServed && "limit=1".equals(uri.getQuery())) {
            answer(exchange, 200, "{\"kind\":\"PrometheusRuleList\",\"items\":[]}");
          } else {
            listed.addAndGet(isServed ? 1 : 0);
            answer(exchange, 404, "404 page not found");
          }
        });
    server.start();
    try (var api = ApiServer.of(kubeconfig(directory, server.getAddress().getPort()))) {
      ChangeSignal.watching(api, "gpu-operator").close();
      assertThat(listed).hasPositiveValue();
    } finally {
      server.stop(0);
    }
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    try (var output = exchange.getResponseBody()) {
      output.write(bytes);
    }
  }

  private static Path kubeconfig(Path directory, int port) throws IOException {
    return Files.writeString(
        directory.resolve("kubeconfig"),
        """
        apiVersion: v1
        kind: Config
        current-context: here
        clusters: [{name: here, cluster: {server: "http://127.0.0.1:%d"}}]
        users: [{name: here, user: {}}]
        contexts: [{name: here, context: {cluster: here, user: here}}]
        """
            .formatted(port));
  }

  private static Deadline in(int millis) {
    return Deadline.in(Duration.ofMillis(millis));
  }
}
