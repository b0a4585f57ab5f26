package dev.pitcrew.operator.node;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What to write to one Node, shaped as the two maps of a JSON merge patch: a null value takes the
/// key away.
///
/// @param labels only those that differ
/// @param annotations only those that differ
/// @param warnings for the log, one sentence each; they ask for no write
public record NodeChange(
    Map<String, @Nullable String> labels,
    Map<String, @Nullable String> annotations,
    List<String> warnings) {

  /// Leaves the node alone.
  public static final NodeChange NONE = new NodeChange(Map.of(), Map.of(), List.of());

  public NodeChange {
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableMap(new TreeMap<>(annotations));
    warnings = List.copyOf(warnings);
  }

  /// Nothing has to be written.
  public boolean isEmpty() {
    return labels.isEmpty() && annotations.isEmpty();
  }

  /// What turns one map into the other.
  static Map<String, @Nullable String> difference(
      Map<String, String> before, Map<String, String> after) {
    var keys = new TreeSet<>(before.keySet());
    keys.addAll(after.keySet());
    Map<String, @Nullable String> difference = new TreeMap<>();
    for (String key : keys) {
      @Nullable String wanted = after.get(key);
      if (wanted == null || !wanted.equals(before.get(key))) {
        difference.put(key, wanted);
      }
    }
    return difference;
  }
}
