package dev.pitcrew.kube.apply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.kube.client.KubernetesJson;

/// One step of a path in managedFields (FieldsV1 of structured-merge-diff): how to get from a value
/// to one of its members.
sealed interface Step {

  /// `f:name`: a field of an object.
  record Field(String name) implements Step {}

  /// `k:{"name":"x"}`: the item of a list of objects with these key fields.
  record Key(JsonNode fields) implements Step {}

  /// `v:"x"`: a member of a set.
  record Value(JsonNode value) implements Step {}

  /// `i:0`: an item by its place.
  record Index(int index) implements Step {}

  static Step parse(String text) {
    String rest = text.substring(text.indexOf(':') + 1);
    return switch (text.charAt(0)) {
      case 'f' -> new Field(rest);
      case 'k' -> new Key(json(rest));
      case 'v' -> new Value(json(rest));
      case 'i' -> new Index(Integer.parseInt(rest));
      default ->
          throw new IllegalArgumentException(
              "managedFields hold a path of an unknown sort: " + text);
    };
  }

  /// The member of `value` that this step leads to, or a missing node.
  default JsonNode from(JsonNode value) {
    return switch (this) {
      case Field(String name) -> value.path(name);
      case Key(JsonNode fields) -> itemWith(fields, value);
      case Value(JsonNode wanted) -> firstEqual(wanted, value);
      case Index(int index) -> value.path(index);
    };
  }

  private static JsonNode itemWith(JsonNode fields, JsonNode list) {
    for (JsonNode item : list) {
      if (fields.properties().stream()
          .allMatch(key -> item.path(key.getKey()).asText().equals(key.getValue().asText()))) {
        return item;
      }
    }
    return MissingNode.getInstance();
  }

  private static JsonNode firstEqual(JsonNode wanted, JsonNode list) {
    for (JsonNode item : list) {
      if (item.asText().equals(wanted.asText())) {
        return item;
      }
    }
    return MissingNode.getInstance();
  }

  private static JsonNode json(String text) {
    try {
      return KubernetesJson.MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("managedFields hold a path that is not JSON: " + text, e);
    }
  }
}
