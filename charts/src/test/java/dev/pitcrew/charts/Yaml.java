package dev.pitcrew.charts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Reads YAML (and so JSON) and turns it into facts that a failed comparison can show one by one.
final class Yaml {
  private static final ObjectMapper MAPPER = new ObjectMapper(new YAMLFactory());

  private Yaml() {}

  static List<JsonNode> documents(String text) {
    try (var values = MAPPER.readerFor(JsonNode.class).<JsonNode>readValues(text)) {
      return values.readAll().stream().filter(JsonNode::isObject).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("Reading YAML:\n" + text, e);
    }
  }

  static List<JsonNode> documents(Path file) {
    try {
      return documents(Files.readString(file));
    } catch (IOException e) {
      throw new UncheckedIOException("Reading " + file, e);
    }
  }

  static JsonNode document(Path file) {
    var documents = documents(file);
    return documents.isEmpty() ? MAPPER.createObjectNode() : documents.getFirst();
  }

  /// Each leaf by its JSON pointer. Text keeps its quotes, so that `"1"` and `1` differ.
  static SortedMap<String, String> facts(JsonNode node) {
    var facts = new TreeMap<String, String>();
    collect("", node, facts);
    return facts;
  }

  private static void collect(String path, JsonNode node, SortedMap<String, String> facts) {
    if (node.isValueNode() || node.isEmpty()) {
      facts.put(path, node.toString());
    } else if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        collect(path + "/" + i, node.get(i), facts);
      }
    } else {
      node.properties().forEach(e -> collect(path + "/" + e.getKey(), e.getValue(), facts));
    }
  }
}
