package dev.pitcrew.testbed.scenario.compare;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import java.util.SortedMap;
import java.util.TreeMap;

/// The single facts in a tree of facts: each leaf under its path, the keys joined by ` | `.
///
/// An empty object or list is a leaf too. Values are kept as JSON text, in which `1`, `1.0`, `"1"`
/// and `true` differ.
public final class FactLeaves {

  /// What stands between the segments of a path.
  public static final String SEPARATOR = " | ";

  /// The leaves by path, sorted.
  public static SortedMap<String, String> of(JsonNode facts) {
    var leaves = new TreeMap<String, String>();
    collect(facts, "", leaves);
    return leaves;
  }

  private static void collect(JsonNode value, String path, SortedMap<String, String> leaves) {
    if (value.isEmpty()) {
      leaves.put(path, FactsText.compact(value));
    } else if (value.isObject()) {
      value
          .properties()
          .forEach(entry -> collect(entry.getValue(), below(path, entry.getKey()), leaves));
    } else {
      for (var index = 0; index < value.size(); index++) {
        collect(value.path(index), below(path, "[" + index + "]"), leaves);
      }
    }
  }

  private static String below(String path, String key) {
    return path.isEmpty() ? key : path + SEPARATOR + key;
  }

  private FactLeaves() {}
}
