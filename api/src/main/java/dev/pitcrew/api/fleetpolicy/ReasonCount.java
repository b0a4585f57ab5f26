package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;

/// How many nodes are not ready for one reason.
public record ReasonCount(
    @JsonProperty(required = true) String reason,
    @JsonProperty(required = true) int nodes,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public ReasonCount {
    unknown = Absent.orUnknown(unknown);
  }
}
