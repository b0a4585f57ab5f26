package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A core/v1 toleration.
public record Toleration(
    @Nullable String key,
    @Nullable String operator,
    @Nullable String value,
    @Nullable String effect,
    @Nullable Long tolerationSeconds,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public Toleration {
    unknown = Absent.orUnknown(unknown);
  }
}
