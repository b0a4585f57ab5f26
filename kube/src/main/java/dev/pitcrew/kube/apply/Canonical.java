package dev.pitcrew.kube.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/// JSON compared by what it means: the order of fields does not count, the order of lists does.
final class Canonical {

  private Canonical() {}

  /// The same text for two values that mean the same.
  static String text(JsonNode value) {
    var text = new StringBuilder();
    write(value, text);
    return text.toString();
  }

  static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /// The part of a JSON merge patch (RFC 7396) that would change `live`; empty when none would.
  static ObjectNode changes(JsonNode live, JsonNode patch) {
    ObjectNode changes = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> field : patch.properties()) {
      JsonNode before = live.path(field.getKey());
      JsonNode wanted = field.getValue();
      if (wanted.isObject() && (before.isObject() || isNothing(before))) {
        ObjectNode below = changes(before, wanted);
        if (!below.isEmpty()) {
          changes.set(field.getKey(), below);
        }
      } else if (!sameValue(before, wanted)) {
        changes.set(field.getKey(), wanted);
      }
    }
    return changes;
  }

  private static boolean sameValue(JsonNode before, JsonNode wanted) {
    return isNothing(wanted) ? isNothing(before) : text(before).equals(text(wanted));
  }

  private static boolean isNothing(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static void write(JsonNode value, StringBuilder text) {
    if (value.isObject()) {
      writeObject(value, text);
    } else if (value.isArray()) {
      text.append('[');
      value.forEach(item -> {
        write(item, text);
        text.append(',');
      });
      text.append(']');
    } else {
      text.append(value);
    }
  }

  private static void writeObject(JsonNode object, StringBuilder text) {
    var sorted = new TreeMap<String, JsonNode>();
    object.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
    text.append('{');
    sorted.forEach((name, value) -> {
      text.append(JsonNodeFactory.instance.textNode(name)).append(':');
      write(value, text);
      text.append(',');
    });
    text.append('}');
  }
}
