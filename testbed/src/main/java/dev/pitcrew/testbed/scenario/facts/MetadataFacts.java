package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/// Facts of an object's metadata: labels, annotations, who controls it, what holds it back.
final class MetadataFacts {
  private static final List<String> WRITTEN_BY_KUBERNETES =
      List.of(
          "kubectl.kubernetes.io/last-applied",
          "deprecated.daemonset",
          "deployment.kubernetes.io/");

  /// All of them: for objects that the operator makes.
  static ObjectNode all(JsonNode object) {
    var metadata = object.path("metadata");
    return new FactObject()
        .with("labels", labels(metadata))
        .with("annotations", annotations(metadata))
        .with("controlledBy", controller(object))
        .withAll(lifecycle(object))
        .build();
  }

  /// Only whether the object may go: for objects that another program makes.
  static ObjectNode lifecycle(JsonNode object) {
    var metadata = object.path("metadata");
    var finalizers = FactObject.texts(metadata.path("finalizers"));
    return new FactObject()
        .with("finalizers", FactObject.setOf(finalizers.stream()))
        .withClaim("deleting", metadata.has("deletionTimestamp"))
        .build();
  }

  static ObjectNode labels(JsonNode metadata) {
    return texts(metadata.path("labels"), _ -> true, LongText::shortened);
  }

  static ObjectNode annotations(JsonNode metadata) {
    var annotations =
        texts(
            metadata.path("annotations"),
            key -> WRITTEN_BY_KUBERNETES.stream().noneMatch(key::startsWith),
            LongText::shortened);
    annotations.properties().stream()
        .filter(annotation -> annotation.getKey().endsWith("last-applied-hash"))
        .forEach(annotation -> annotations.put(annotation.getKey(), "<hash>"));
    return annotations;
  }

  /// The entries of a map of texts whose keys count.
  static ObjectNode texts(JsonNode map, Predicate<String> counts, UnaryOperator<String> value) {
    var texts = JsonNodeFactory.instance.objectNode();
    map.properties().stream()
        .filter(entry -> counts.test(entry.getKey()))
        .forEach(entry -> texts.put(entry.getKey(), value.apply(entry.getValue().asText())));
    return texts;
  }

  /// The kind of the controlling owner, empty where there is none.
  static String controller(JsonNode object) {
    for (var owner : object.at("/metadata/ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return owner.path("kind").asText();
      }
    }
    return "";
  }

  static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  /// The value of a label, empty where the object does not have it.
  static String label(JsonNode object, String key) {
    return object.path("metadata").path("labels").path(key).asText();
  }

  private MetadataFacts() {}
}
