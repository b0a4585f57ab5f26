package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;

/// One pod, and no later one of its name.
public record PodReference(
    @JsonProperty(required = true) String namespace,
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) String uid,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {
  public PodReference {
    unknown = Absent.orUnknown(unknown);
  }
}
