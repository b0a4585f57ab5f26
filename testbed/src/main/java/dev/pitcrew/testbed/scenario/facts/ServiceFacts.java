package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Set;

/// Facts of a Service: what it selects and on which ports; addresses and node ports are chance.
final class ServiceFacts {

  static ObjectNode of(JsonNode object) {
    var spec = object.path("spec");
    return new FactObject()
        .withAll(KindFacts.fields(spec, "type", "selector", "internalTrafficPolicy"))
        .withClaim("headless", spec.path("clusterIP").asText().equals("None"))
        .with(
            "ports",
            FactObject.named(spec.path("ports"), ServiceFacts::portName, ServiceFacts::port))
        .build();
  }

  private static String portName(JsonNode port) {
    var name = port.path("name").asText();
    return name.isEmpty() ? port.path("port").asText() : name;
  }

  private static JsonNode port(JsonNode port) {
    return port.<ObjectNode>deepCopy().remove(Set.of("name", "nodePort"));
  }

  private ServiceFacts() {}
}
