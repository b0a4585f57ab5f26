package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.regex.Pattern;

/// Documents made from a schema: every path filled, either with distinct values or with the
/// emptiest ones.
enum Samples {
  /// Every field, list and map has content.
  FULL,
  /// Every field is there with false, zero, empty text, an empty list or map, wherever the schema
  /// allows it.
  EMPTY;

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final List<String> TEXTS =
      List.of("some", "10s", "100m", "22:30", "0000:07:00.0", "2026-11-21T10:00:00Z");

  ObjectNode document(JsonNode definition) {
    var document = NODES.objectNode();
    document.put(
        "apiVersion",
        definition.at("/spec/group").textValue()
            + "/"
            + definition.at("/spec/versions/0/name").textValue());
    document.put("kind", Definitions.kind(definition));
    document.putObject("metadata").put("name", "sample").put("generation", 7);
    document.setAll((ObjectNode) value(Definitions.schema(definition)));
    return document;
  }

  private JsonNode value(JsonNode schema) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return this == FULL ? NODES.textNode("10") : NODES.numberNode(0);
    }
    return switch (schema.path("type").textValue()) {
      case "object" -> object(schema);
      case "array" -> list(schema);
      case "boolean" -> NODES.booleanNode(this == FULL);
      case "integer" -> NODES.numberNode(schema.path("minimum").asInt(0) + (this == FULL ? 9 : 0));
      default -> text(schema);
    };
  }

  private JsonNode object(JsonNode schema) {
    var object = NODES.objectNode();
    schema
        .path("properties")
        .properties()
        .forEach(e -> object.set(e.getKey(), value(e.getValue())));
    var values = schema.path("additionalProperties");
    if (this == FULL && !values.isMissingNode()) {
      object.set("zeta", value(values));
      object.set("alpha", value(values));
    }
    return object;
  }

  private JsonNode list(JsonNode schema) {
    var list = NODES.arrayNode();
    return this == FULL ? list.add(value(schema.path("items"))) : list;
  }

  private JsonNode text(JsonNode schema) {
    if (schema.has("enum")) {
      return schema.path("enum").path(this == FULL ? schema.path("enum").size() - 1 : 0);
    }
    if (schema.path("format").asText().equals("date-time")) {
      return NODES.textNode("2026-11-21T10:00:00Z");
    }
    if (this == EMPTY && !schema.has("pattern") && schema.path("minLength").asInt() == 0) {
      return NODES.textNode("");
    }
    var pattern = Pattern.compile(schema.path("pattern").asText(""));
    return NODES.textNode(
        TEXTS.stream().filter(text -> pattern.matcher(text).find()).findFirst().orElseThrow());
  }
}
