package dev.pitcrew.agent.host;

import java.util.Map;

/// What the Node says of the cloud that its host is in.
///
/// @param provider `spec.providerID`, such as `aws:///eu-west-1a/i-0123`; an empty text where there
///   is none
public record NodeMarks(String provider, Map<String, String> labels) {
  public static final NodeMarks NONE = new NodeMarks("", Map.of());

  public NodeMarks {
    labels = Map.copyOf(labels);
  }

  boolean hasLabelBelow(String prefix) {
    return labels.keySet().stream().anyMatch(key -> key.startsWith(prefix));
  }

  String label(String key) {
    return labels.getOrDefault(key, "");
  }
}
