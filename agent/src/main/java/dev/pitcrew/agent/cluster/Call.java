package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;

/// One request, but for who asks.
///
/// @param target path and query
/// @param contentType of the body; empty where there is none
/// @param accept the form of the answer
/// @param deadline until the answer must be there; for a watch, until it has begun
record Call(
    String method,
    String target,
    String contentType,
    String accept,
    BodyPublisher body,
    Duration deadline) {
  static final String JSON = "application/json";

  static Call get(String target, Duration deadline) {
    return get(target, JSON, deadline);
  }

  static Call get(String target, String accept, Duration deadline) {
    return new Call("GET", target, "", accept, BodyPublishers.noBody(), deadline);
  }

  static Call post(String target, JsonNode body, Duration deadline) {
    return new Call("POST", target, JSON, JSON, publisher(body), deadline);
  }

  static Call put(String target, JsonNode body, Duration deadline) {
    return new Call("PUT", target, JSON, JSON, publisher(body), deadline);
  }

  static Call delete(String target, JsonNode options, Duration deadline) {
    return new Call("DELETE", target, JSON, JSON, publisher(options), deadline);
  }

  /// @param type the last word of the content type, which says what kind of patch it is
  static Call patch(String target, String type, JsonNode body, Duration deadline) {
    return new Call("PATCH", target, "application/" + type, JSON, publisher(body), deadline);
  }

  private static BodyPublisher publisher(JsonNode body) {
    return BodyPublishers.ofByteArray(Json.bytes(body));
  }

  HttpRequest request(URI server, String token) {
    var request =
        HttpRequest.newBuilder(server.resolve(target))
            .method(method, body)
            .header("Accept", accept)
            .header("User-Agent", "pitcrew-agent")
            .header("Authorization", "Bearer " + token);
    return contentType.isEmpty()
        ? request.build()
        : request.header("Content-Type", contentType).build();
  }
}
