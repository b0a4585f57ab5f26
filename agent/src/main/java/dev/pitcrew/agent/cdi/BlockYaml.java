package dev.pitcrew.agent.cdi;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/// YAML with the line breaks and the indent of Go's yaml.v3, in which administrators compare
/// specifications: by four, lists deeper than their key.
final class BlockYaml {
  private static final int STEP = 4;
  private static final int DASH = 2;

  /// Texts that no YAML reader takes for anything else.
  private static final Pattern PLAIN =
      Pattern.compile(
          "(?:[A-Za-z/_]|--?[A-Za-z]|\\.\\./)[A-Za-z0-9_./:=+@-]*(?<!:)|\\d+(?:\\.\\d+){2}");

  private static final Set<String> WORDS =
      Set.of("y", "n", "yes", "no", "on", "off", "true", "false", "null");

  private final StringBuilder text = new StringBuilder("---\n");

  private BlockYaml() {}

  static String of(JsonNode tree) {
    BlockYaml yaml = new BlockYaml();
    yaml.fields(tree, 0, 0);
    return yaml.text.toString();
  }

  /// @param written how many columns of the first line are written already
  private void fields(JsonNode map, int column, int written) {
    int missing = column - written;
    for (Map.Entry<String, JsonNode> field : map.properties()) {
      text.append(" ".repeat(missing)).append(field.getKey()).append(':');
      value(field.getValue(), column);
      missing = column;
    }
  }

  private void value(JsonNode value, int column) {
    int deeper = (column / STEP + 1) * STEP;
    if (value.isObject()) {
      text.append('\n');
      fields(value, deeper, 0);
    } else if (value.isArray()) {
      text.append('\n');
      value.forEach(item -> item(item, deeper));
    } else {
      text.append(' ').append(scalar(value)).append('\n');
    }
  }

  private void item(JsonNode item, int column) {
    text.append(" ".repeat(column)).append("- ");
    if (item.isObject()) {
      fields(item, column + DASH, column + DASH);
    } else {
      text.append(scalar(item)).append('\n');
    }
  }

  /// What JSON puts in quotes YAML reads alike.
  private static String scalar(JsonNode value) {
    String plain = value.asText();
    boolean isSafe =
        PLAIN.matcher(plain).matches() && !WORDS.contains(plain.toLowerCase(Locale.ROOT));
    return isSafe ? plain : value.toString();
  }
}
