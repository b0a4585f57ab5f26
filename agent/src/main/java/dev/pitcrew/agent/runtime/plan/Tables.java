package dev.pitcrew.agent.runtime.plan;

import java.util.LinkedHashMap;
import java.util.Map;

/// Tables that can be changed, made of some that are not.
final class Tables {
  private Tables() {}

  /// Values of the later one win; tables that both have become one.
  static Map<String, Object> merged(Map<String, Object> one, Map<String, Object> later) {
    var both = copy(one);
    later.forEach((key, value) -> {
      Object before = both.get(key);
      both.put(
          key,
          before instanceof Map<?, ?> && value instanceof Map<?, ?>
              ? merged(map(before), map(value))
              : value(value));
    });
    return both;
  }

  static Map<String, Object> copy(Map<String, Object> table) {
    var copy = new LinkedHashMap<String, Object>();
    table.forEach((key, value) -> copy.put(key, value(value)));
    return copy;
  }

  /// Puts a value below a path of tables, which are made where they are missing.
  static void put(Map<String, Object> table, Object value, String... path) {
    Map<String, Object> at = table;
    for (int i = 0; i < path.length - 1; i++) {
      Object below = at.get(path[i]);
      Map<String, Object> next = below instanceof Map<?, ?> ? copy(map(below)) : copy(Map.of());
      at.put(path[i], next);
      at = next;
    }
    at.put(path[path.length - 1], value);
  }

  private static Object value(Object value) {
    return value instanceof Map<?, ?> ? copy(map(value)) : value;
  }

  private static Map<String, Object> map(Object value) {
    return TomlFile.TomlMap.of(value).entries();
  }
}
