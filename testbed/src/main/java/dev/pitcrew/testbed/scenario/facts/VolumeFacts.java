package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/// Facts of a volume: its type and source, without the file mode that the API server fills in.
final class VolumeFacts {
  private static final IntNode FILLED_IN_MODE = IntNode.valueOf(0644);

  static ObjectNode of(JsonNode volume) {
    var type =
        volume
            .propertyStream()
            .map(Map.Entry::getKey)
            .filter(field -> !field.equals("name"))
            .findFirst()
            .orElse("emptyDir");
    var facts = JsonNodeFactory.instance.objectNode();
    facts.set(type, source(volume.path(type)));
    return facts;
  }

  private static ObjectNode source(JsonNode source) {
    var facts = FactObject.withoutEmpty(source);
    if (facts.path("defaultMode").equals(FILLED_IN_MODE)) {
      facts.remove("defaultMode");
    }
    if (facts.has("items")) {
      facts.set("items", paths(facts.path("items")));
    }
    return facts;
  }

  private static ObjectNode paths(JsonNode items) {
    var paths = JsonNodeFactory.instance.objectNode();
    items.forEach(item -> paths.set(item.path("key").asText(), item.path("path")));
    return paths;
  }

  private VolumeFacts() {}
}
