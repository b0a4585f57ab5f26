package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/// One line of a watch.
///
/// See [efficient detection of
/// changes](https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes).
sealed interface WatchEvent {

  /// The object came or changed.
  record Changed(JsonNode object, String version) implements WatchEvent {}

  record Deleted(JsonNode object, String version) implements WatchEvent {}

  /// Nothing happened up to this version.
  record Bookmark(String version) implements WatchEvent {}

  /// The watch is over.
  ///
  /// @param code as of HTTP; 410 for a version that the server has forgotten
  record Failed(int code, String message) implements WatchEvent {}

  /// Not the words of an API server.
  record Garbage() implements WatchEvent {}

  static WatchEvent parse(byte[] line) {
    return Json.object(line).map(WatchEvent::of).orElseGet(Garbage::new);
  }

  private static WatchEvent of(ObjectNode event) {
    JsonNode object = event.path("object");
    String type = event.path("type").asText();
    if (type.equals("ERROR")) {
      return new Failed(
          object.path("code").asInt(), ReplyReader.printable(object.path("message").asText()));
    }
    return version(object).map(version -> of(type, object, version)).orElseGet(Garbage::new);
  }

  private static WatchEvent of(String type, JsonNode object, String version) {
    return switch (type) {
      case "ADDED", "MODIFIED" -> new Changed(object, version);
      case "DELETED" -> new Deleted(object, version);
      case "BOOKMARK" -> new Bookmark(version);
      default -> new Garbage();
    };
  }

  /// The resource version of an object or a list. It goes into the address of the next watch.
  static Optional<String> version(JsonNode object) {
    return Optional.of(object.at("/metadata/resourceVersion").asText())
        .filter(version -> version.matches("[0-9A-Za-z]{1,64}"));
  }
}
