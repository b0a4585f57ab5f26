package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One operand and how far it is.
public record OperandStatus(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) OperandState state,
    @Nullable Integer desired,
    @Nullable Integer ready,
    @Nullable Integer updated,
    @Nullable String message,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public OperandStatus {
    unknown = Absent.orUnknown(unknown);
  }
}
