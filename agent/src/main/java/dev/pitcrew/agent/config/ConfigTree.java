package dev.pitcrew.agent.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// A mapping of the configuration file together with the path that leads to it.
record ConfigTree(String path, Map<String, Object> entries) {

  /// `value` as a mapping; anything else is a problem. Keys without a value are absent.
  static Optional<ConfigTree> of(String path, Object value, Findings findings) {
    if (!(value instanceof Map<?, ?> map)) {
      findings.problem(shown(path), String.valueOf(value), "write a mapping of keys to values");
      return Optional.empty();
    }
    var entries = new LinkedHashMap<String, Object>();
    map.forEach((key, entry) -> {
      if (entry != null) {
        entries.put(String.valueOf(key), entry);
      }
    });
    return Optional.of(new ConfigTree(path, entries));
  }

  String pathOf(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  Optional<Object> value(String key) {
    return Optional.ofNullable(entries.get(key));
  }

  List<String> unknown(List<String> known) {
    var unknown = new ArrayList<>(entries.keySet());
    unknown.removeAll(known);
    return unknown;
  }

  private static String shown(String path) {
    return path.isEmpty() ? ConfigProblem.WHOLE_FILE : path;
  }
}
