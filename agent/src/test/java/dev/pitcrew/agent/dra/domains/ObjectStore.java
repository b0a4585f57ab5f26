package dev.pitcrew.agent.dra.domains;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import dev.pitcrew.agent.cluster.FakeApiServer;
import dev.pitcrew.agent.dra.claims.Facts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Serves a Node, ComputeDomains and their cliques as an API server does: lists and watches by the
/// field selector metadata.name, and patches that are refused where `metadata.resourceVersion` is
/// another (API concepts of Kubernetes). It knows no other kind and no other verb.
final class ObjectStore {
  static final String NODE = "/api/v1/nodes/node-a";
  static final String DOMAINS = "/apis/resource.nvidia.com/v1beta1/computedomains";
  private static final String CLIQUES = "/apis/resource.nvidia.com/v1beta1/computedomaincliques";
  private static final String NAMESPACED = "/apis/resource.nvidia.com/v1beta1/namespaces/";
  private static final String LABEL = "resource.nvidia.com/computeDomain";

  private final Map<String, ObjectNode> objects = new HashMap<>();
  private final List<String> watched = new ArrayList<>();
  private int version = 1;
  private int conflicts;

  ObjectStore() {
    put(NODE, "{\"kind\":\"Node\",\"metadata\":{\"name\":\"node-a\",\"labels\":{\"a\":\"b\"}}}");
  }

  /// The next patches of the Node come too late: another client has changed it.
  synchronized void conflict(int patches) {
    conflicts = patches;
  }

  synchronized void domain(String uid, String namespace, String name) {
    put(
        "%s%s/computedomains/%s".formatted(NAMESPACED, namespace, name),
        "{\"kind\":\"ComputeDomain\",\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\",\"uid\":\"%s\"},\"spec\":{\"numNodes\":0}}"
            .formatted(namespace, name, uid));
  }

  /// The status of a domain, as its controller writes it.
  synchronized void status(String path, JsonNode status) {
    change(
        path,
        object -> {
          object.set("status", status);
        });
  }

  synchronized void clique(String name, String node, String status) {
    put(
        NAMESPACED + "dra/computedomaincliques/" + name,
        "{\"kind\":\"ComputeDomainClique\",\"metadata\":{\"namespace\":\"dra\",\"name\":\"%s\"},\"daemons\":[{\"nodeName\":\"%s\",\"status\":\"%s\"}]}"
            .formatted(name, node, status));
  }

  /// The object has finalizers.
  void deleting(String path) {
    change(
        path,
        object -> {
          object.withObject("/metadata").put("deletionTimestamp", "2026-11-28T12:00:00Z");
        });
  }

  synchronized void label(String value) {
    change(
        NODE,
        node -> {
          node.withObject("/metadata/labels").put(LABEL, value);
        });
  }

  synchronized void unlabel() {
    change(
        NODE,
        node -> {
          node.withObject("/metadata/labels").remove(LABEL);
        });
  }

  synchronized void delete(String path) {
    objects.remove(path);
    version++;
    notifyAll();
  }

  synchronized Optional<String> label() {
    return Optional.ofNullable(objects.get(NODE))
        .map(node -> node.path("metadata").path("labels").path(LABEL))
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText);
  }

  /// The collections that are watched, or have been.
  synchronized List<String> watched() {
    return List.copyOf(watched);
  }

  private void put(String path, String json) {
    objects.put(path, (ObjectNode) Facts.parse(json));
    change(path, _ -> {});
  }

  private synchronized void change(String path, Consumer<ObjectNode> change) {
    ObjectNode object = Optional.ofNullable(objects.get(path)).orElseThrow();
    change.accept(object);
    version++;
    object.withObject("/metadata").put("resourceVersion", String.valueOf(version));
    notifyAll();
  }

  void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String query = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
    if (exchange.getRequestMethod().equals("PATCH")) {
      patch(exchange, path);
    } else if (query.contains("watch=true")) {
      watch(exchange, path, query);
    } else {
      read(exchange, path, query);
    }
  }

  private void patch(HttpExchange exchange, String path) throws IOException {
    JsonNode patch =
        Facts.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    if (patched(path, patch)) {
      FakeApiServer.text(exchange, 200, single(path).orElseThrow());
    } else {
      FakeApiServer.text(
          exchange, 409, "{\"kind\":\"Status\",\"reason\":\"Conflict\",\"message\":\"changed\"}");
    }
  }

  private synchronized boolean patched(String path, JsonNode patch) {
    if (conflicts > 0) {
      conflicts--;
      return false;
    }
    JsonNode metadata = Optional.ofNullable(objects.get(path)).orElseThrow().path("metadata");
    if (!metadata.path("resourceVersion").equals(patch.at("/metadata/resourceVersion"))) {
      return false;
    }
    change(
        path,
        object -> {
          ObjectNode labels = object.withObject("/metadata/labels");
          patch
              .at("/metadata/labels")
              .properties()
              .forEach(label -> {
                if (label.getValue().isNull()) {
                  labels.remove(label.getKey());
                } else {
                  labels.set(label.getKey(), label.getValue());
                }
              });
        });
    return true;
  }

  private void read(HttpExchange exchange, String path, String query) throws IOException {
    Optional<String> single = single(path);
    if (single.isPresent()) {
      FakeApiServer.text(exchange, 200, single.get());
    } else {
      FakeApiServer.text(exchange, 200, list(path, query));
    }
  }

  private synchronized Optional<String> single(String path) {
    return Optional.ofNullable(objects.get(path)).map(JsonNode::toString);
  }

  private synchronized String list(String path, String query) {
    String items =
        String.join(",", selected(path, query).stream().map(JsonNode::toString).toList());
    return "{\"kind\":\"%s\",\"apiVersion\":\"x/v1\",\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[%s]}"
        .formatted(kind(path) + "List", version, items);
  }

  private static String kind(String path) {
    return path.endsWith("nodes")
        ? "Node"
        : path.endsWith("computedomains") ? "ComputeDomain" : "ComputeDomainClique";
  }

  private synchronized List<ObjectNode> selected(String path, String query) {
    String resource = path.substring(path.lastIndexOf('/') + 1);
    boolean isOfAllNamespaces =
        path.equals(DOMAINS) || path.equals(CLIQUES) || path.equals("/api/v1/nodes");
    return objects.entrySet().stream()
        .filter(it ->
            isOfAllNamespaces
                ? it.getKey().contains("/" + resource + "/")
                : it.getKey().startsWith(path + "/"))
        .map(Map.Entry::getValue)
        .filter(it ->
            !query.contains("metadata.name=")
                || query.contains("metadata.name=" + it.at("/metadata/name").asText()))
        .toList();
  }

  private void watch(HttpExchange exchange, String path, String query) throws IOException {
    int seen = since(query);
    synchronized (this) {
      watched.add(path);
      notifyAll();
    }
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    while (true) {
      var lines = new StringBuilder();
      synchronized (this) {
        for (ObjectNode object : selected(path, query)) {
          if (object.at("/metadata/resourceVersion").asInt() > seen) {
            lines.append("{\"type\":\"MODIFIED\",\"object\":").append(object).append("}\n");
          }
        }
        seen = version;
      }
      if (!lines.isEmpty()) {
        exchange.getResponseBody().write(lines.toString().getBytes(StandardCharsets.UTF_8));
        exchange.getResponseBody().flush();
      }
      if (!awaitChange(seen)) {
        return;
      }
    }
  }

  private static int since(String query) {
    for (String part : query.split("&", -1)) {
      if (part.startsWith("resourceVersion=")) {
        return Integer.parseInt(part.substring("resourceVersion=".length()));
      }
    }
    return 0;
  }

  private synchronized boolean awaitChange(int seen) {
    try {
      while (version == seen) {
        wait();
      }
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
