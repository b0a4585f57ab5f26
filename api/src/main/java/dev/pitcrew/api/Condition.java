package dev.pitcrew.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A condition in the standard form (`meta/v1`).
public record Condition(
    @JsonProperty(required = true) String type,
    @JsonProperty(required = true) String status,
    @Nullable Long observedGeneration,
    @JsonProperty(required = true) String lastTransitionTime,
    @JsonProperty(required = true) String reason,
    @JsonProperty(required = true) String message,
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
