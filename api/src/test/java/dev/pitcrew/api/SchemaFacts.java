package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Flattens a schema into one entry a path: `[]` stands for a list's items, `{}` for a map's
/// values.
final class SchemaFacts {
  private static final Set<String> NESTED = Set.of("properties", "items", "additionalProperties");
  private final Map<String, JsonNode> facts = new TreeMap<>();

  private SchemaFacts() {}

  static Map<String, JsonNode> of(JsonNode schema) {
    var flattened = new SchemaFacts();
    flattened.visit(".", schema);
    return flattened.facts;
  }

  private void visit(String path, JsonNode schema) {
    facts.put(path, own(schema));
    var prefix = path.equals(".") ? "." : path + ".";
    schema.path("properties").properties().forEach(e -> visit(prefix + e.getKey(), e.getValue()));
    if (schema.has("items")) {
      visit(path + "[]", schema.path("items"));
    }
    if (schema.has("additionalProperties")) {
      visit(path + "{}", schema.path("additionalProperties"));
    }
  }

  private static ObjectNode own(JsonNode schema) {
    var own = JsonNodeFactory.instance.objectNode();
    for (var fact : schema.properties()) {
      switch (fact.getKey()) {
        case "description" -> {}
        case "x-kubernetes-validations" -> own.set("validations", rules(fact.getValue()));
        default -> {
          if (!NESTED.contains(fact.getKey())) {
            own.set(fact.getKey(), fact.getValue());
          }
        }
      }
    }
    return own;
  }

  private static JsonNode rules(JsonNode validations) {
    var rules = JsonNodeFactory.instance.arrayNode();
    validations.forEach(validation -> rules.add(validation.path("rule")));
    return rules;
  }
}
