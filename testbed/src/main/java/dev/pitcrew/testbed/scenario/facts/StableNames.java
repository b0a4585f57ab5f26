package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// Names that are the same in each run: the DaemonSet of an NVIDIADriver is named after a random
/// UID, so the end of its name becomes `<driver>` or `<driver kernel>` wherever it is written.
record StableNames(Map<String, String> byName) {
  private static final String KERNEL_LABEL = "nvidia.com/precompiled.kernel-version";

  static StableNames of(List<JsonNode> daemonSets) {
    var names = new LinkedHashMap<String, String>();
    for (var daemonSet : daemonSets) {
      var name = MetadataFacts.name(daemonSet);
      owningDriver(daemonSet).ifPresent(driver -> names.put(name, stable(name, driver, daemonSet)));
    }
    return new StableNames(names);
  }

  private static Optional<String> owningDriver(JsonNode daemonSet) {
    return StreamSupport.stream(daemonSet.at("/metadata/ownerReferences").spliterator(), false)
        .filter(owner -> owner.path("kind").asText().equals(RecordedKind.NVIDIA_DRIVER.kind()))
        .map(owner -> owner.path("name").asText())
        .findFirst();
  }

  private static String stable(String name, String driver, JsonNode daemonSet) {
    var kernel = MetadataFacts.label(daemonSet, KERNEL_LABEL);
    var dash = name.lastIndexOf('-');
    var start = dash < 0 ? name : name.substring(0, dash);
    return start + "-<" + (driver + " " + kernel).strip() + ">";
  }

  String in(String text) {
    var stable = text;
    for (var entry : byName.entrySet()) {
      stable = stable.replace(entry.getKey(), entry.getValue());
    }
    return stable;
  }

  /// The same JSON with stable names in all its keys and texts.
  JsonNode in(JsonNode value) {
    if (byName.isEmpty()) {
      return value;
    }
    return switch (value.getNodeType()) {
      case OBJECT -> inObject(value);
      case ARRAY -> inArray(value);
      case STRING -> TextNode.valueOf(in(value.textValue()));
      case BINARY, BOOLEAN, MISSING, NULL, NUMBER, POJO -> value;
    };
  }

  private JsonNode inObject(JsonNode object) {
    var renamed = JsonNodeFactory.instance.objectNode();
    object.properties().forEach(entry -> renamed.set(in(entry.getKey()), in(entry.getValue())));
    return renamed;
  }

  private JsonNode inArray(JsonNode array) {
    var renamed = JsonNodeFactory.instance.arrayNode();
    array.forEach(item -> renamed.add(in(item)));
    return renamed;
  }
}
