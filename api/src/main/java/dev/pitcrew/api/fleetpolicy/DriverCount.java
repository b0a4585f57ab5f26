package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;

/// How many nodes have one version of the driver.
public record DriverCount(
    @JsonProperty(required = true) String version,
    @JsonProperty(required = true) int nodes,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public DriverCount {
    unknown = Absent.orUnknown(unknown);
  }
}
