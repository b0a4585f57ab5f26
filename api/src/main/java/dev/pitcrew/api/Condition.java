package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A condition in the standard form (`meta/v1`).
public record Condition(
    String type,
    String status,
    @Nullable Long observedGeneration,
    String lastTransitionTime,
    String reason,
    String message,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public Condition {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the status is `True`.
  public boolean isTrue() {
    return "True".equals(status);
  }

  /// When the status last changed.
  public Instant changedAt() {
    return Instant.parse(lastTransitionTime);
  }
}
