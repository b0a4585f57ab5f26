package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// What `metadata.managedFields` of a live object says of owners (`fieldsV1` of structured merge
/// diff: `f:` names a field, `k:` an element of a list by its keys, `v:` one of a set).
public final class OwnedFields {
  /// The field manager under which the agent applies everything.
  static final String AGENT = "pitcrew-agent";

  private static final String FIELD = "f:";
  private static final String KEYS = "k:";
  private static final String VALUE = "v:";

  private OwnedFields() {}

  /// What the agent has applied to the object, or to its part of this name.
  ///
  /// @param subresource an empty text for the object itself
  public static JsonNode ofAgent(JsonNode live, String subresource) {
    return entries(live)
        .filter(OwnedFields::isAgents)
        .filter(entry -> entry.path("subresource").asText("").equals(subresource))
        .map(entry -> entry.path("fieldsV1"))
        .findFirst()
        .orElse(MissingNode.getInstance());
  }

  /// The fields of all other managers.
  public static Stream<JsonNode> ofOthers(JsonNode live) {
    return entries(live).filter(entry -> !isAgents(entry)).map(entry -> entry.path("fieldsV1"));
  }

  /// The label keys among owned fields.
  public static Stream<String> labels(JsonNode fields) {
    return fields.path("f:metadata").path("f:labels").properties().stream()
        .map(entry -> entry.getKey())
        .filter(key -> key.startsWith(FIELD))
        .map(key -> key.substring(FIELD.length()));
  }

  /// Whether every owned field is in a document: if not, applying the document removes something.
  public static boolean areAllIn(JsonNode fields, JsonNode document) {
    return fields.properties().stream()
        .filter(entry -> !entry.getKey().equals("."))
        .allMatch(entry -> isIn(entry.getKey(), entry.getValue(), document));
  }

  private static boolean isIn(String step, JsonNode below, JsonNode document) {
    if (step.startsWith(FIELD)) {
      JsonNode field = document.path(step.substring(FIELD.length()));
      return !field.isMissingNode() && areAllIn(below, field);
    }
    if (step.startsWith(KEYS)) {
      JsonNode keys = parsed(step.substring(KEYS.length()));
      return elements(document)
          .filter(element -> has(element, keys))
          .anyMatch(element -> areAllIn(below, element));
    }
    JsonNode value = parsed(step.substring(VALUE.length()));
    return step.startsWith(VALUE) && elements(document).anyMatch(value::equals);
  }

  private static boolean has(JsonNode element, JsonNode keys) {
    return keys.properties().stream()
        .allMatch(key -> element.path(key.getKey()).equals(key.getValue()));
  }

  private static boolean isAgents(JsonNode entry) {
    return entry.path("manager").asText("").equals(AGENT)
        && entry.path("operation").asText("").equals("Apply");
  }

  private static Stream<JsonNode> entries(JsonNode live) {
    return elements(live.path("metadata").path("managedFields"));
  }

  private static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  private static JsonNode parsed(String json) {
    try {
      return ApiJson.read(json, JsonNode.class);
    } catch (UnreadableResource _) {
      return MissingNode.getInstance();
    }
  }
}
