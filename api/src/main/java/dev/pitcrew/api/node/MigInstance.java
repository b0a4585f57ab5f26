package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One MIG instance of a GPU.
public record MigInstance(
    @JsonProperty(required = true) String uuid,
    @JsonProperty(required = true) String profile,
    @Nullable Integer gpuInstance,
    @Nullable Integer computeInstance,
    @Nullable Integer start,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public MigInstance {
    unknown = Absent.orUnknown(unknown);
  }
}
