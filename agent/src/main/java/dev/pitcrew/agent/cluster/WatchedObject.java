package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;

/// What a watch sees of its object.
public sealed interface WatchedObject {

  /// @param object as the server has it; not to be changed
  record Present(JsonNode object) implements WatchedObject {
    String resourceVersion() {
      return object.at("/metadata/resourceVersion").asText();
    }
  }

  /// There is no such object, or no such kind.
  record Absent() implements WatchedObject {}
}
