package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Optional;

/// JSON as bytes and as a tree.
final class Json {
  private static final JsonMapper MAPPER = new JsonMapper();

  private Json() {}

  /// Empty for what is no JSON or no object.
  static Optional<ObjectNode> object(byte[] text) {
    try {
      return Optional.ofNullable(MAPPER.readTree(text))
          .filter(ObjectNode.class::isInstance)
          .map(ObjectNode.class::cast);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  static byte[] bytes(JsonNode node) {
    try {
      return MAPPER.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a tree is always JSON", e);
    }
  }

  static ObjectNode newObject() {
    return MAPPER.createObjectNode();
  }
}
