package dev.pitcrew.testbed.controlplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The API server's audit log: one JSON event a line. A request shows when it is answered; a watch
/// when it begins.
public record AuditLog(Path path) {
  private static final JsonMapper JSON = new JsonMapper();

  /// One request.
  ///
  /// @param resource `group/resource/subresource` without empty parts, such as `apps/daemonsets`,
  ///   `nodes/status`; the path for a request that names no resource
  /// @param name empty for a request about many objects, as is `namespace` where there is none
  /// @param answered when the response was complete; when it began for a watch that still runs
  public record Request(
      Instant received,
      Instant answered,
      String user,
      String userAgent,
      String verb,
      String resource,
      String namespace,
      String name,
      int status) {
    private static final Set<String> READING = Set.of("get", "list", "watch", "head", "options");

    public boolean isMutating() {
      return !READING.contains(verb);
    }
  }

  /// All requests so far, each once, in the order in which they were answered.
  public Collection<Request> requests() {
    var byId = new LinkedHashMap<String, Request>();
    try (var lines = Files.lines(path)) {
      // A watch is logged at its beginning and at its end, with one id.
      lines
          .flatMap(line -> parse(line).stream())
          .forEach(event -> byId.putIfAbsent(event.path("auditID").asText(), request(event)));
    } catch (IOException e) {
      throw new UncheckedIOException("read the audit log " + path, e);
    }
    return byId.values();
  }

  /// All requests of one user, such as `system:serviceaccount:<namespace>:<name>`.
  public List<Request> requestsOf(String user) {
    return requests().stream().filter(request -> request.user().equals(user)).toList();
  }

  /// Nothing for a line that the server has not written to its end yet.
  static Optional<JsonNode> parse(String line) {
    try {
      return Optional.of(JSON.readTree(line));
    } catch (JsonProcessingException _) {
      return Optional.empty();
    }
  }

  static Request request(JsonNode event) {
    var object = event.path("objectRef");
    return new Request(
        Instant.parse(event.path("requestReceivedTimestamp").asText()),
        Instant.parse(event.path("stageTimestamp").asText()),
        event.path("user").path("username").asText(),
        event.path("userAgent").asText(),
        event.path("verb").asText(),
        object.isMissingNode() ? event.path("requestURI").asText() : resource(object),
        object.path("namespace").asText(),
        object.path("name").asText(),
        event.path("responseStatus").path("code").asInt());
  }

  private static String resource(JsonNode object) {
    var parts =
        List.of(
            object.path("apiGroup").asText(),
            object.path("resource").asText(),
            object.path("subresource").asText());
    return String.join("/", parts.stream().filter(part -> !part.isEmpty()).toList());
  }
}
