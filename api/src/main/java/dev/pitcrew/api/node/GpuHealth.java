package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How well a GPU is, and what speaks for it.
public record GpuHealth(
    @JsonProperty(required = true) HealthLevel level,
    @Nullable String since,
    List<String> evidence,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The health of a GPU that was not looked at yet.
  public static final GpuHealth ABSENT =
      Absent.of(GpuHealth.class, Map.of("level", HealthLevel.HEALTHY));

  public GpuHealth {
    evidence = Absent.orList(evidence);
    unknown = Absent.orUnknown(unknown);
  }
}
