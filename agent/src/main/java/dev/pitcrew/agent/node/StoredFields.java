package dev.pitcrew.agent.node;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Pattern;

/// Fields of a file that any program may have written: what does not look like it was kept by us is
/// refused with its name.
final class StoredFields {
  static final Pattern UUID = Pattern.compile("[A-Za-z0-9/-]{1,96}");
  static final Pattern WORDS = Pattern.compile("\\p{Print}{0,96}");
  static final Pattern WORD = Pattern.compile("[\\w.+-]{0,40}");
  static final Pattern PCI_ADDRESS =
      Pattern.compile("[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-7]");
  static final Pattern PCI_ROOT = Pattern.compile("pci[0-9a-f]{4,8}:[0-9a-f]{2}");

  private StoredFields() {}

  static String text(JsonNode object, String name, Pattern pattern) {
    JsonNode value = object.path(name);
    if (!value.isTextual() || !pattern.matcher(value.asText()).matches()) {
      throw refusal(name, value);
    }
    return value.asText();
  }

  static int count(JsonNode object, String name) {
    JsonNode value = object.path(name);
    if (!value.isInt() || value.asInt() < 0) {
      throw refusal(name, value);
    }
    return value.asInt();
  }

  static long amount(JsonNode object, String name) {
    JsonNode value = object.path(name);
    if (!value.isIntegralNumber() || !value.canConvertToLong() || value.asLong() < 0) {
      throw refusal(name, value);
    }
    return value.asLong();
  }

  static List<JsonNode> list(JsonNode object, String name, int most) {
    JsonNode value = object.path(name);
    if (!value.isArray() || value.size() > most) {
      throw refusal(name, value);
    }
    return value.valueStream().toList();
  }

  static List<String> texts(JsonNode object, String name, int most, Pattern pattern) {
    return list(object, name, most).stream()
        .map(value -> {
          if (!value.isTextual() || !pattern.matcher(value.asText()).matches()) {
            throw refusal(name, object.path(name));
          }
          return value.asText();
        })
        .toList();
  }

  static IllegalArgumentException refusal(String name, JsonNode value) {
    String text = value.toString();
    return new IllegalArgumentException(
        "%s is %s".formatted(name, text.substring(0, Math.min(text.length(), 60))));
  }
}
