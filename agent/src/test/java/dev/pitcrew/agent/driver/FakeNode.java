package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.Stranger;
import dev.pitcrew.agent.driver.DriverPreparation.FileEvents;
import dev.pitcrew.hardware.linux.FolderEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// A Node, and a pod on it, as an API server shows them to a driver manager. What an API server
/// refuses is `PreparationBed`'s to tell.
final class FakeNode implements AutoCloseable {
  private static final String NAMESPACE = "gpu-operator";
  private static final String NAME = "n1";
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration KERNEL = Duration.ofSeconds(2);
  private static final int OK = 200;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final FakeHost host;
  private final String pod;
  private final Stranger stranger;
  private final ApiServer server;
  private final ObjectNode node = JSON.createObjectNode();

  /// @param pod as JSON; none where it is empty
  FakeNode(Path folder, FakeHost host, String pod) {
    this.host = host;
    this.pod = pod;
    node.putObject("metadata").put("name", NAME).put("resourceVersion", "1");
    stranger = Stranger.saying(folder, this::answer);
    server = stranger.server();
  }

  @Override
  public void close() {
    server.close();
    stranger.close();
  }

  Ending run(String digest) throws IOException, InterruptedException {
    return run(digest, FolderEvents::of);
  }

  Ending run(String digest, FileEvents files) throws IOException, InterruptedException {
    return preparation(digest, files).run();
  }

  Optional<String> check(String digest) throws InterruptedException {
    return preparation(digest, FolderEvents::of).check(_ -> {});
  }

  private DriverPreparation preparation(String digest, FileEvents files) {
    var limits = new Limits(LIMIT, LIMIT, KERNEL, LIMIT);
    return new DriverPreparation(
        host.options(NAME, NAMESPACE, digest, limits),
        server,
        InstantSource.system(),
        new Bell(),
        files);
  }

  /// The agent has closed NVML for the Node as it is now.
  void release() {
    host.release(NAME, version());
  }

  synchronized String version() {
    return node.at("/metadata/resourceVersion").asText();
  }

  synchronized void set(String field, Map<String, String> texts) {
    node.withObject("/metadata/" + field).setAll((ObjectNode) JSON.valueToTree(texts));
  }

  /// A label or an annotation; empty where there is none.
  synchronized String text(String field, String key) {
    return node.path("metadata").path(field).path(key).asText();
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestURI().getPath().endsWith("/pods")) {
      pods(exchange);
    } else if (exchange.getRequestMethod().equals("PATCH")) {
      Stranger.text(exchange, OK, patched(JSON.readTree(exchange.getRequestBody())));
    } else {
      Stranger.text(exchange, OK, shown());
    }
  }

  private synchronized String shown() {
    return node.toString();
  }

  private synchronized String patched(JsonNode patch) {
    patch
        .path("metadata")
        .properties()
        .forEach(field -> {
          if (field.getValue() instanceof ObjectNode texts) {
            ObjectNode now = node.withObject("/metadata/" + field.getKey());
            texts
                .properties()
                .forEach(text -> {
                  if (text.getValue().isNull()) {
                    now.remove(text.getKey());
                  } else {
                    now.set(text.getKey(), text.getValue());
                  }
                });
          }
        });
    node.withObject("/metadata")
        .put("resourceVersion", String.valueOf(Integer.parseInt(version()) + 1));
    return node.toString();
  }

  /// Nothing ever happens to the pod.
  private void pods(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestURI().getQuery().contains("watch=true")) {
      Stranger.text(
          exchange, OK, "{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [" + pod + "]}");
      return;
    }
    exchange.sendResponseHeaders(OK, 0);
    exchange.getResponseBody().flush();
    try {
      TimeUnit.SECONDS.sleep(LIMIT.toSeconds());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
