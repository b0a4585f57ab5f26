package dev.pitcrew.agent.dra.slices.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.SortedSet;
import java.util.TreeSet;

/// What the API server kept of a ResourceSlice that it was sent: it drops fields whose feature gate
/// is off, without an error (DeviceTaints, PartitionableDevices and ConsumableCapacity are off by
/// default before Kubernetes 1.36).
public sealed interface Kept {

  record Everything() implements Kept {}

  /// The paths of fields within `spec`, such as `devices[].taints`.
  ///
  /// @param dropped fields that are missing
  /// @param changed fields with another value, and fields that were not sent
  record Part(SortedSet<String> dropped, SortedSet<String> changed) implements Kept {
    public Part {
      dropped = new TreeSet<>(dropped);
      changed = new TreeSet<>(changed);
    }
  }

  /// @param sent the spec without generation and number of slices
  /// @param found the spec that the server has, likewise
  static Kept of(JsonNode sent, JsonNode found) {
    var dropped = new TreeSet<String>();
    var changed = new TreeSet<String>();
    compare("", sent, found, dropped, changed);
    return dropped.isEmpty() && changed.isEmpty() ? new Everything() : new Part(dropped, changed);
  }

  /// What all of them say.
  default Kept and(Kept other) {
    return switch (this) {
      case Everything() -> other;
      case Part(var dropped, var changed) -> {
        var allDropped = new TreeSet<>(dropped);
        var allChanged = new TreeSet<>(changed);
        if (other instanceof Part more) {
          allDropped.addAll(more.dropped());
          allChanged.addAll(more.changed());
        }
        yield new Part(allDropped, allChanged);
      }
    };
  }

  private static String below(String path, String field) {
    return path.isEmpty() ? field : path + "." + field;
  }

  private static void compare(
      String path,
      JsonNode sent,
      JsonNode kept,
      SortedSet<String> dropped,
      SortedSet<String> changed) {
    if (sent instanceof ObjectNode fields && kept instanceof ObjectNode) {
      fields
          .properties()
          .forEach(field -> {
            String below = below(path, field.getKey());
            if (kept.has(field.getKey())) {
              compare(below, field.getValue(), kept.path(field.getKey()), dropped, changed);
            } else {
              dropped.add(below);
            }
          });
      kept.properties().stream()
          .filter(field -> !fields.has(field.getKey()))
          .forEach(field -> changed.add(below(path, field.getKey())));
    } else if (sent.isArray() && kept.isArray() && sent.size() == kept.size()) {
      for (int index = 0; index < sent.size(); index++) {
        compare(path + "[]", sent.path(index), kept.path(index), dropped, changed);
      }
    } else if (!sent.equals(kept)) {
      changed.add(path);
    }
  }
}
