package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/// Facts of the Prometheus operator's resources: what is scraped, and which alerts exist.
final class MonitoringFacts {

  static ObjectNode serviceMonitor(JsonNode object, Recording recording) {
    var spec = object.path("spec");
    return new FactObject()
        .withAll(KindFacts.fields(spec, "jobLabel", "selector", "endpoints"))
        .with("namespaceSelector", namespaces(spec.path("namespaceSelector"), recording))
        .build();
  }

  private static JsonNode namespaces(JsonNode selector, Recording recording) {
    if (!selector.has("matchNames")) {
      return selector;
    }
    var names = FactObject.texts(selector.path("matchNames"));
    return selector
        .<ObjectNode>deepCopy()
        .set("matchNames", FactObject.listOf(names.stream().map(recording::ownNamespace).toList()));
  }

  /// Each alert with its severity; expressions and texts are the operator's own.
  static ObjectNode prometheusRule(JsonNode object) {
    var alerts = JsonNodeFactory.instance.objectNode();
    for (var group : object.at("/spec/groups")) {
      for (var rule : group.path("rules")) {
        if (rule.has("alert")) {
          alerts.put(rule.path("alert").asText(), rule.at("/labels/severity").asText());
        }
      }
    }
    return new FactObject().with("alerts", alerts).build();
  }

  private MonitoringFacts() {}
}
