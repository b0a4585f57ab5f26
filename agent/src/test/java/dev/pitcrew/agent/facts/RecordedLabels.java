package dev.pitcrew.agent.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/// What GPU feature discovery was recorded to say of one node.
///
/// @param board the board of all GPUs, as the record names it
/// @param sharing `none`, `ts4` (time-slicing, 4 replicas), `mps4`, with `-rename` where the
///   replicas have a name of their own
/// @param layout of the GPUs in MIG mode; empty where there are none
record RecordedLabels(
    String name,
    String board,
    String sharing,
    String migStrategy,
    Optional<String> layout,
    List<String> sharedResources,
    SortedMap<String, String> labels) {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String FOLDER = "/facts/labels";

  /// Stands for any value.
  static final String VOLATILE = "<volatile>";

  static List<RecordedLabels> all() {
    try (var files = Files.list(folder())) {
      return files.sorted().map(RecordedLabels::read).toList();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static Path folder() {
    try {
      return Path.of(Objects.requireNonNull(RecordedLabels.class.getResource(FOLDER)).toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static RecordedLabels read(Path file) {
    try {
      JsonNode json = MAPPER.readTree(file.toFile());
      var labels = new TreeMap<String, String>();
      json.get("labels")
          .properties()
          .forEach(entry -> labels.put(entry.getKey(), entry.getValue().asText()));
      return new RecordedLabels(
          String.valueOf(file.getFileName()),
          json.get("profile").asText(),
          json.get("sharing").asText(),
          json.get("mig_strategy").asText(),
          Optional.ofNullable(json.get("mig_layout").textValue()),
          json.get("sharing_resources").valueStream().map(JsonNode::asText).toList(),
          labels);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// The configuration file of the run.
  String configFile() {
    if (sharing.equals("none")) {
      return "version: v1\n";
    }
    String kind = sharing.startsWith("mps") ? "mps" : "timeSlicing";
    var file = new StringBuilder("version: v1\nsharing:\n  %s:\n".formatted(kind));
    file.append("    renameByDefault: %s\n    resources:\n".formatted(sharing.endsWith("-rename")));
    sharedResources.forEach(
        resource -> file.append("    - name: %s\n      replicas: 4\n".formatted(resource)));
    return file.toString();
  }

  /// The labels with what belongs to the recording in the words of `names`.
  SortedMap<String, String> in(Map<String, String> names) {
    var renamed = new TreeMap<String, String>();
    labels.forEach((key, value) -> {
      String said = value;
      for (var name : names.entrySet()) {
        said = said.replace(name.getKey(), name.getValue());
      }
      renamed.put(key, said);
    });
    return renamed;
  }

  @Override
  public String toString() {
    return name;
  }
}
