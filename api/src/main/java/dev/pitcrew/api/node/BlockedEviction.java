package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;

/// A pod that is to be evicted and is not.
///
/// @param message why, for people
public record BlockedEviction(
    @JsonProperty(required = true) String namespace,
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) String uid,
    @JsonProperty(required = true) String message,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {
  public BlockedEviction {
    unknown = Absent.orUnknown(unknown);
  }
}
