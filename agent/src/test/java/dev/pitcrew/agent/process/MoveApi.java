package dev.pitcrew.agent.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.FakeApiServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// ResourceSlices and ResourceClaims as an API server keeps them (API concepts of Kubernetes):
/// versions that grow, an update of another version is refused, a watch has each change in order.
/// It validates nothing; `SlicePublisherTest` has slices on a real one.
final class MoveApi implements AutoCloseable {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String API = "/apis/resource.k8s.io/v1/";
  static final String SLICES = API + "resourceslices";
  private static final String CLAIMS = API + "resourceclaims";
  private static final String IN_NAMESPACE = API + "namespaces/team/resourceclaims";

  private final TreeMap<String, ObjectNode> objects = new TreeMap<>();
  private final List<Change> changes = new ArrayList<>();
  private final FakeApiServer http;
  private int version = 1;
  private boolean isClosed;

  private record Change(int version, String path, String line) {}

  MoveApi(Path folder) {
    http = FakeApiServer.saying(folder, this::answer);
  }

  ApiServer server() {
    return http.server();
  }

  /// The devices that are listed.
  synchronized List<String> devices() {
    return objects.entrySet().stream()
        .filter(it -> it.getKey().startsWith(SLICES))
        .flatMap(it -> it.getValue().at("/spec/devices").findValuesAsText("name").stream())
        .toList();
  }

  /// The UIDs of the claims.
  synchronized List<String> claims() {
    return objects.entrySet().stream()
        .filter(it -> it.getKey().startsWith(IN_NAMESPACE))
        .map(it -> it.getValue().at("/metadata/uid").asText())
        .toList();
  }

  /// @param result where it is allocated, as JSON
  /// @return its UID
  synchronized String allocate(String claim, String result) {
    ObjectNode object =
        read(
            """
            {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
             "metadata": {"namespace": "team", "name": "%s"},
             "spec": {"devices": {"requests": [
               {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}},
             "status": {"allocation": {"devices": {"results": [%s]}}}}
            """
                .formatted(claim, result));
    String path = IN_NAMESPACE + "/" + claim;
    return keep(path, object, "ADDED").at("/metadata/uid").asText();
  }

  synchronized void deallocate(String claim) {
    remove(IN_NAMESPACE + "/" + claim);
  }

  private ObjectNode keep(String path, ObjectNode object, String type) {
    version++;
    ObjectNode metadata = object.withObject("/metadata");
    metadata.put("resourceVersion", String.valueOf(version));
    if (type.equals("ADDED")) {
      metadata.put("uid", "0a1b2c3d-0000-4000-8000-%012d".formatted(version));
    }
    objects.put(path, object);
    note(path, type, object);
    return object;
  }

  private void remove(String path) {
    ObjectNode gone = objects.remove(path);
    if (gone != null) {
      version++;
      gone.withObject("/metadata").put("resourceVersion", String.valueOf(version));
      note(path, "DELETED", gone);
    }
  }

  private void note(String path, String type, ObjectNode object) {
    changes.add(
        new Change(version, path, "{\"type\":\"%s\",\"object\":%s}%n".formatted(type, object)));
    notifyAll();
  }

  private static ObjectNode read(String json) {
    try {
      return (ObjectNode) MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    switch (exchange.getRequestMethod()) {
      case "POST" -> FakeApiServer.text(exchange, 201, create(path, query, read(body)));
      case "PUT" -> update(exchange, path, read(body));
      case "DELETE" -> {
        synchronized (this) {
          remove(path);
        }
        FakeApiServer.text(exchange, 200, "{\"kind\":\"Status\",\"status\":\"Success\"}");
      }
      case String _ when query.contains("watch=true") -> watch(exchange, path, query);
      case String _ -> get(exchange, path);
    }
  }

  private synchronized String create(String path, String query, ObjectNode object) {
    String generated = object.at("/metadata/generateName").asText();
    String name = generated + String.valueOf(version);
    if (!generated.isEmpty()) {
      object.withObject("/metadata").put("name", name);
    }
    return query.contains("dryRun")
        ? object.toString()
        : keep(path + "/" + object.at("/metadata/name").asText(), object, "ADDED").toString();
  }

  private void update(HttpExchange exchange, String path, ObjectNode object) throws IOException {
    String reply = "";
    synchronized (this) {
      JsonNode before = objects.getOrDefault(path, MAPPER.createObjectNode());
      if (before.at("/metadata/resourceVersion").equals(object.at("/metadata/resourceVersion"))) {
        reply = keep(path, object, "MODIFIED").toString();
      }
    }
    if (reply.isEmpty()) {
      FakeApiServer.text(exchange, 409, "{\"kind\":\"Status\",\"reason\":\"Conflict\"}");
    } else {
      FakeApiServer.text(exchange, 200, reply);
    }
  }

  private void get(HttpExchange exchange, String path) throws IOException {
    String reply;
    synchronized (this) {
      ObjectNode one = objects.get(path);
      reply = one == null ? list(path) : one.toString();
    }
    boolean isMissing = reply.isEmpty();
    FakeApiServer.text(
        exchange,
        isMissing ? 404 : 200,
        isMissing ? "{\"kind\":\"Status\",\"reason\":\"NotFound\"}" : reply);
  }

  private String list(String path) {
    String collection = path.equals(CLAIMS) ? IN_NAMESPACE : path;
    if (!collection.equals(SLICES) && !collection.equals(IN_NAMESPACE)) {
      return "";
    }
    List<String> items =
        objects.entrySet().stream()
            .filter(it -> it.getKey().startsWith(collection + "/"))
            .map(it -> it.getValue().toString())
            .toList();
    return "{\"kind\":\"List\",\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[%s]}"
        .formatted(version, String.join(",", items));
  }

  private void watch(HttpExchange exchange, String path, String query) throws IOException {
    int seen = Integer.parseInt(query.replaceAll(".*resourceVersion=([0-9]+).*", "$1"));
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    while (true) {
      var lines = new StringBuilder();
      synchronized (this) {
        for (Change change : changes) {
          if (change.version() > seen && change.path().startsWith(path + "/")) {
            lines.append(change.line());
          }
        }
        seen = version;
      }
      exchange.getResponseBody().write(lines.toString().getBytes(StandardCharsets.UTF_8));
      exchange.getResponseBody().flush();
      if (!awaitChange(seen)) {
        return;
      }
    }
  }

  private synchronized boolean awaitChange(int seen) {
    try {
      while (version == seen && !isClosed) {
        wait();
      }
      return !isClosed;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      isClosed = true;
      notifyAll();
    }
    http.close();
  }
}
