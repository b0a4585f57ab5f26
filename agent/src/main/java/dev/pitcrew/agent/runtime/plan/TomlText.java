package dev.pitcrew.agent.runtime.plan;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tomlj.Toml;

/// Writes tables as TOML: values first, then the tables below, each under its whole name.
final class TomlText {
  private static final Pattern BARE = Pattern.compile("[A-Za-z0-9_-]+");

  private final StringBuilder text = new StringBuilder();

  private TomlText() {}

  static String of(Map<String, Object> table) {
    var writer = new TomlText();
    writer.table("", table);
    return writer.text.toString();
  }

  static String quoted(String value) {
    return "\"" + Toml.tomlEscape(value) + "\"";
  }

  private void table(String name, Map<String, Object> table) {
    boolean hasValues = table.values().stream().anyMatch(value -> !isTable(value));
    if (!name.isEmpty() && (hasValues || table.isEmpty())) {
      text.append(text.isEmpty() ? "" : "\n").append('[').append(name).append("]\n");
    }
    table.forEach((key, value) -> {
      if (!isTable(value)) {
        text.append(key(key)).append(" = ").append(value(value)).append('\n');
      }
    });
    table.forEach((key, value) -> {
      if (isTable(value)) {
        table(name.isEmpty() ? key(key) : name + "." + key(key), map(value));
      }
    });
  }

  private static boolean isTable(Object value) {
    return value instanceof Map<?, ?>;
  }

  private static Map<String, Object> map(Object value) {
    return TomlFile.TomlMap.of(value).entries();
  }

  private static String key(String key) {
    return BARE.matcher(key).matches() ? key : quoted(key);
  }

  /// A list of tables stays within its line.
  private static String value(Object value) {
    return switch (value) {
      case String word -> quoted(word);
      case List<?> list ->
          list.stream().map(TomlText::value).collect(Collectors.joining(", ", "[", "]"));
      case Map<?, ?> table ->
          map(table).entrySet().stream()
              .map(entry -> key(entry.getKey()) + " = " + value(entry.getValue()))
              .collect(Collectors.joining(", ", "{", "}"));
      default -> String.valueOf(value);
    };
  }
}
