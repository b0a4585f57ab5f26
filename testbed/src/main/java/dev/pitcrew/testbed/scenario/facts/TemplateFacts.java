package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;

/// The pod templates of DaemonSets as the API server keeps them, with the order of their lists. To
/// the DaemonSet controller the same variables in another order are another template, for which it
/// replaces every pod.
public final class TemplateFacts {
  /// One entry `DaemonSet/name` for each DaemonSet of the operator.
  public static ObjectNode of(ClusterObjects objects) {
    var daemonSets =
        objects.of(RecordedKind.DAEMON_SET).stream()
            .filter(object -> !Background.isBackground(RecordedKind.DAEMON_SET, object))
            .toList();
    var facts = JsonNodeFactory.instance.objectNode();
    daemonSets.forEach(object ->
        facts.set(
            RecordedKind.DAEMON_SET.kind() + "/" + MetadataFacts.name(object),
            shortened(object.at("/spec/template"))));
    return (ObjectNode) StableNames.of(daemonSets).in(facts);
  }

  private static JsonNode shortened(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT -> {
        var object = JsonNodeFactory.instance.objectNode();
        value
            .properties()
            .forEach(field -> object.set(field.getKey(), shortened(field.getValue())));
        yield object;
      }
      case ARRAY -> {
        var array = JsonNodeFactory.instance.arrayNode();
        value.forEach(item -> array.add(shortened(item)));
        yield array;
      }
      case STRING -> TextNode.valueOf(LongText.scriptShortened(value.textValue()));
      case BINARY, BOOLEAN, MISSING, NULL, NUMBER, POJO -> value;
    };
  }

  private TemplateFacts() {}
}
