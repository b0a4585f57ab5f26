package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/// Facts of what the operator reports in a custom resource; messages and times are its own.
final class StatusFacts {

  static ObjectNode of(JsonNode object, Recording recording) {
    var status = object.path("status");
    return new FactObject()
        .with("state", status.path("state").asText("<none>"))
        .with("namespace", recording.ownNamespace(status.path("namespace").asText()))
        .with("conditions", conditions(status.path("conditions")))
        .build();
  }

  private static ObjectNode conditions(JsonNode conditions) {
    var facts = JsonNodeFactory.instance.objectNode();
    for (var condition : conditions) {
      facts
          .putObject(condition.path("type").asText())
          .put("status", condition.path("status").asText())
          .put("reason", condition.path("reason").asText());
    }
    return facts;
  }

  private StatusFacts() {}
}
