package dev.pitcrew.testbed.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/// The scripts and settings of a node, which are files of this package.
final class NodeResources {
  private NodeResources() {}

  static String text(String name) {
    try (var stream = NodeResources.class.getResourceAsStream(name)) {
      return new String(
          Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + name, e);
    }
  }

  /// The text with each `${NAME}` replaced.
  static String text(String name, Map<String, String> values) {
    var text = text(name);
    for (var value : values.entrySet()) {
      text = text.replace("${" + value.getKey() + "}", value.getValue());
    }
    return text;
  }
}
