package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.stream.Stream;

/// Facts of a probe: what it asks, how often, how patiently. Of a command only the first word.
final class ProbeFacts {

  /// The facts of a container's probe, none where it has no such probe.
  static ObjectNode of(JsonNode probe) {
    return Stream.of("exec", "httpGet", "tcpSocket", "grpc")
        .filter(probe::has)
        .findFirst()
        .map(type -> of(type, probe))
        .orElseGet(JsonNodeFactory.instance::objectNode);
  }

  private static ObjectNode of(String type, JsonNode probe) {
    return new FactObject()
        .with("type", type)
        .with("target", LongText.shortened(target(type, probe.path(type))))
        .withNumber("initialDelay", probe.path("initialDelaySeconds").asInt())
        .with("period", probe.path("periodSeconds"))
        .with("timeout", probe.path("timeoutSeconds"))
        .with("failureThreshold", probe.path("failureThreshold"))
        .with("successThreshold", probe.path("successThreshold"))
        .build();
  }

  private static String target(String type, JsonNode action) {
    var port = EnvironmentValue.orNone(action, "port");
    return switch (type) {
      case "exec" -> action.at("/command/0").asText();
      case "httpGet" -> port + ":" + EnvironmentValue.orNone(action, "path");
      case "grpc" -> port + ":" + action.path("service").asText();
      default -> port;
    };
  }

  private ProbeFacts() {}
}
