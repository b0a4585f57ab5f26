package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import dev.pitcrew.api.node.HealthLevel;
import java.util.Map;

/// How many GPUs are of one health level.
public record HealthCount(
    @JsonProperty(required = true) HealthLevel level,
    @JsonProperty(required = true) int gpus,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public HealthCount {
    unknown = Absent.orUnknown(unknown);
  }
}
