package dev.pitcrew.charts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/// A recorded situation: the values that a user gave, and the resources that the reference's chart
/// made of them.
record Scenario(Path directory) {
  private static final Path ALL = Path.of("src/test/resources/scenarios");

  static List<Scenario> all() {
    try (var folders = Files.list(ALL)) {
      return folders.filter(Files::isDirectory).sorted().map(Scenario::new).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("Listing " + ALL, e);
    }
  }

  Path values() {
    return directory.resolve("values.yaml");
  }

  /// The custom resources that the chart must give, by `Kind/name`: without what the scenario added
  /// by hand.
  Map<String, JsonNode> expected() {
    var resources =
        Yaml.documents(directory.resolve("cr.yaml")).stream()
            .collect(Collectors.toMap(Rendered::key, o -> o, (a, b) -> b, TreeMap::new));
    texts(byHand().path("added")).forEach(resources::remove);
    byHand()
        .path("renamed")
        .properties()
        .forEach(e -> rename(resources, e.getKey(), e.getValue().asText()));
    return resources;
  }

  /// `Kind/name/path` of the fields that the scenario edited after rendering.
  List<String> changed() {
    return texts(byHand().path("changed"));
  }

  boolean hasExtraObjects() {
    return Files.exists(extra());
  }

  List<JsonNode> extraObjects() {
    return Yaml.documents(extra());
  }

  @Override
  public String toString() {
    return String.valueOf(directory.getFileName());
  }

  private Path extra() {
    return directory.resolve("extra.yaml");
  }

  private JsonNode byHand() {
    return Yaml.document(ALL.resolve("by-hand.yaml")).path(toString());
  }

  private static void rename(Map<String, JsonNode> resources, String from, String to) {
    var resource = resources.remove(from);
    if (resource != null && resource.path("metadata") instanceof ObjectNode metadata) {
      metadata.put("name", to.substring(to.indexOf('/') + 1));
      resources.put(to, resource);
    }
  }

  private static List<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonNode::asText).toList();
  }
}
