package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// Objects as an API server returns them, and what becomes of them.
final class Objects {

  /// JSON with single quotes for double ones.
  static JsonNode json(String text) {
    return FactsText.parse(text.replace('\'', '"'));
  }

  /// The facts of one object in a fresh recording.
  static JsonNode factsOf(RecordedKind kind, String object) {
    var objects = ClusterObjects.of(Map.of(kind, List.of(json(object))));
    return ClusterFacts.of(objects, Recording.in("gpu-operator"));
  }

  /// A cluster that holds an object with nearly every field that makes a fact.
  static ObjectNode richCluster() {
    return (ObjectNode) FactsText.parse(resource("rich-cluster.json"));
  }

  /// What a recorder must make of lists of objects by kind.
  static ClusterObjects read(JsonNode lists) {
    var byKind = new EnumMap<RecordedKind, List<JsonNode>>(RecordedKind.class);
    for (var kind : RecordedKind.values()) {
      var objects = new ArrayList<JsonNode>();
      lists.path(kind.kind()).forEach(objects::add);
      byKind.put(kind, objects);
    }
    return new ClusterObjects(byKind, lists.path("Namespace"));
  }

  static String resource(String name) {
    try (var in = Objects.class.getResourceAsStream(name)) {
      return new String(
          java.util.Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("reading the test's " + name, e);
    }
  }

  private Objects() {}
}
