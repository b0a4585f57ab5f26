package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;

/// Facts of device classes and of the admission policies that guard their use.
final class AdmissionFacts {

  static ObjectNode deviceClass(JsonNode object) {
    var expressions = new ArrayList<String>();
    for (var selector : object.at("/spec/selectors")) {
      expressions.add(LongText.shortened(selector.at("/cel/expression").asText()));
    }
    return new FactObject().with("selectors", FactObject.listOf(expressions)).build();
  }

  static ObjectNode policy(JsonNode object) {
    var spec = object.path("spec");
    var matches = new ArrayList<String>();
    for (var rule : spec.at("/matchConstraints/resourceRules")) {
      matches.addAll(matches(rule));
    }
    return new FactObject()
        .with("failurePolicy", spec.path("failurePolicy"))
        .withNumber("validations", spec.path("validations").size())
        .with("matches", FactObject.setOf(matches.stream()))
        .build();
  }

  private static List<String> matches(JsonNode rule) {
    var resources = FactObject.texts(rule.path("resources"));
    var operations = FactObject.texts(rule.path("operations"));
    return FactObject.texts(rule.path("apiGroups")).stream()
        .flatMap(group -> resources.stream().map(resource -> group + " " + resource))
        .flatMap(target -> operations.stream().map(operation -> target + " " + operation))
        .toList();
  }

  static ObjectNode binding(JsonNode object) {
    var spec = object.path("spec");
    return new FactObject()
        .with("policyName", spec.path("policyName"))
        .with("actions", spec.path("validationActions"))
        .build();
  }

  private AdmissionFacts() {}
}
