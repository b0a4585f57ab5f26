package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;

/// The status of a claim with the fields of Kubernetes 1.36 only. NVIDIA's DRA driver verifies the
/// checksum over what its types keep, so that a field of a newer server would make the checkpoint
/// unreadable for it.
final class ClaimStatus {
  /// What is kept of an object; a shape without fields keeps the whole value.
  private record Shape(Map<String, Shape> fields) {
    private static final Shape ALL = new Shape(Map.of());

    static Shape of(String... names) {
      var fields = new HashMap<String, Shape>();
      for (String name : names) {
        fields.put(name, ALL);
      }
      return new Shape(fields);
    }

    Shape with(String name, Shape shape) {
      var all = new HashMap<>(fields);
      all.put(name, shape);
      return new Shape(all);
    }
  }

  private static final Shape REQUIREMENT = Shape.of("key", "operator", "values");

  private static final Shape SELECTOR =
      Shape.of()
          .with(
              "nodeSelectorTerms",
              Shape.of().with("matchExpressions", REQUIREMENT).with("matchFields", REQUIREMENT));

  private static final Shape RESULT =
      Shape.of(
              "request",
              "driver",
              "pool",
              "device",
              "adminAccess",
              "bindingConditions",
              "bindingFailureConditions",
              "shareID",
              "consumedCapacity")
          .with("tolerations", Shape.of("key", "operator", "value", "effect", "tolerationSeconds"));

  private static final Shape CONFIG =
      Shape.of("source", "requests").with("opaque", Shape.of("driver", "parameters"));

  private static final Shape STATUS =
      Shape.of("devices")
          .with("reservedFor", Shape.of("apiGroup", "resource", "name", "uid"))
          .with(
              "allocation",
              Shape.of("allocationTimestamp")
                  .with("devices", Shape.of().with("results", RESULT).with("config", CONFIG))
                  .with("nodeSelector", SELECTOR));

  private ClaimStatus() {}

  static JsonNode known(JsonNode status) {
    return status.isObject() ? kept(status, STATUS) : JsonNodeFactory.instance.objectNode();
  }

  private static JsonNode kept(JsonNode node, Shape shape) {
    if (shape.fields().isEmpty()) {
      return node;
    }
    if (node.isArray()) {
      ArrayNode items = JsonNodeFactory.instance.arrayNode();
      node.forEach(item -> items.add(kept(item, shape)));
      return items;
    }
    ObjectNode fields = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      Shape inner = shape.fields().get(field.getKey());
      if (inner != null && !field.getValue().isNull()) {
        fields.set(field.getKey(), kept(field.getValue(), inner));
      }
    }
    return fields;
  }
}
