package dev.pitcrew.agent.cdi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.hardware.driver.DeviceNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// What the reference wrote on a node with eight A100.
record Fact(String name, JsonNode content) {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  static final String DRIVER_ROOT = "/run/nvidia/driver";

  static Fact read(String name) {
    String path = "/facts/cdi/" + name + ".json";
    try (InputStream in = Objects.requireNonNull(Fact.class.getResourceAsStream(path), path)) {
      return new Fact(name, MAPPER.readTree(in));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  JsonNode specification() {
    return content.path("spec");
  }

  JsonNode common() {
    return specification().path("containerEdits");
  }

  Stream<JsonNode> devices() {
    return elements(specification().path("devices"));
  }

  List<String> texts(String field) {
    return elements(content.path(field)).map(JsonNode::asText).toList();
  }

  /// The paths of the files in the driver root.
  List<String> files() {
    return elements(common().path("mounts"))
        .map(mount -> mount.path("hostPath").asText().substring(DRIVER_ROOT.length()))
        .toList();
  }

  List<DeviceNode> nodes() {
    return Stream.concat(
            elements(common().path("deviceNodes")),
            devices().flatMap(one -> elements(one.path("containerEdits").path("deviceNodes"))))
        .map(Fact::node)
        .distinct()
        .sorted(Comparator.comparing(DeviceNode::path))
        .toList();
  }

  static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  private static DeviceNode node(JsonNode node) {
    return new DeviceNode(
        node.path("path").asText(),
        node.path("major").asInt(),
        node.path("minor").asInt(),
        node.path("fileMode").asInt(),
        node.path("gid").asInt());
  }

  @Override
  public String toString() {
    return name;
  }
}
