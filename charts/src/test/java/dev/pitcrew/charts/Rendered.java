package dev.pitcrew.charts;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// The objects that the chart makes of some values.
record Rendered(List<JsonNode> objects) {

  static Rendered parse(String manifests) {
    return new Rendered(Yaml.documents(manifests));
  }

  /// `Kind/name`.
  static String key(JsonNode object) {
    return object.path("kind").asText() + "/" + object.path("metadata").path("name").asText();
  }

  JsonNode object(String key) {
    return objects.stream()
        .filter(object -> key(object).equals(key))
        .findFirst()
        .orElseThrow(() -> new AssertionError("%s is not among %s".formatted(key, keys())));
  }

  boolean has(String key) {
    return objects.stream().anyMatch(object -> key(object).equals(key));
  }

  List<String> keys() {
    return objects.stream().map(Rendered::key).toList();
  }

  Stream<JsonNode> ofKinds(Set<String> kinds) {
    return objects.stream().filter(object -> kinds.contains(object.path("kind").asText()));
  }

  /// Specifications of all pods that the chart itself starts: the operator and the hooks.
  List<JsonNode> podSpecs() {
    return ofKinds(Set.of("Deployment", "Job"))
        .map(object -> object.at("/spec/template/spec"))
        .toList();
  }
}
