package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.Stream;

/// The value of an environment variable as one text, also where it comes from somewhere else:
/// `fieldRef:spec.nodeName`, `secretKeyRef:name/key`.
final class EnvironmentValue {

  static String of(JsonNode variable) {
    var sources = variable.path("valueFrom").properties();
    if (sources.isEmpty()) {
      return LongText.shortened(variable.path("value").asText());
    }
    var source = sources.iterator().next();
    var alsoLiteral = variable.path("value").asText().isEmpty() ? "" : " +value";
    return source.getKey() + ":" + target(source.getValue()) + alsoLiteral;
  }

  private static String target(JsonNode reference) {
    return Stream.of("fieldPath", "resource")
        .map(field -> reference.path(field).asText())
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElseGet(() -> orNone(reference, "name") + "/" + orNone(reference, "key"));
  }

  /// A field that the facts must name even where it is absent.
  static String orNone(JsonNode object, String field) {
    return object.path(field).asText("None");
  }

  private EnvironmentValue() {}
}
